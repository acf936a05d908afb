#include "http/json_path.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"

namespace thrum::http {
namespace {

constexpr std::size_t kMostSteps = 64, kShown = 60;
constexpr std::string_view kEndsKey = ".[]\"'=!<>~ \t";

class PathReader {
 public:
  explicit PathReader(std::string_view text) : text_(text) {}

  Expected<JsonPath> read() {
    JsonPath path;
    if (next_is('$')) ++at_;
    bool may_begin = at_ == 0;  // a path may begin with a bare key
    while (at_ < text_.size()) {
      JsonStep step;
      Expected<void> ok;
      if (next_is('[')) {
        ok = bracket(step);
      } else if (next_is('.')) {
        ++at_;
        if (at_ == 1 && is_over()) break;  // "." alone is the whole document
        ok = key(step);
      } else if (may_begin && !is_over()) {
        ok = key(step);
      } else {
        break;
      }
      if (!ok) return std::unexpected(ok.error());
      if (path.steps.size() == kMostSteps) return fault(fmt::format("has more than {} steps", kMostSteps));
      path.steps.push_back(std::move(step));
      may_begin = false;
    }
    path.length = at_;
    if (at_ == 0)
      return usage_error(fmt::format("\"{}\" has no path; write it like .status or .items[0].id", printable_prefix(text_, kShown)));
    return path;
  }

 private:
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool is_over() const { return at_ == text_.size() || (text_[at_] != '"' && kEndsKey.find(text_[at_]) != std::string_view::npos); }

  Expected<void> key(JsonStep& step) {
    if (next_is('"')) return quoted(step);
    const std::size_t end = std::min(text_.find_first_of(kEndsKey, at_), text_.size());
    if (end == at_) return std::unexpected(fault("lacks a key").error());
    step.key = text_.substr(at_, end - at_);
    at_ = end;
    return {};
  }

  Expected<void> quoted(JsonStep& step) {
    const char quote = text_[at_];
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return std::unexpected(fault("has a key whose quote is not closed").error());
    step.key = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return {};
  }

  Expected<void> bracket(JsonStep& step) {
    ++at_;
    if (next_is('"') || next_is('\'')) {
      if (auto ok = quoted(step); !ok) return ok;
    } else {
      step.is_index = true;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), step.index);
      if (error != std::errc()) return std::unexpected(fault("has brackets without a number or a key in quotes, like [0]").error());
      at_ = static_cast<std::size_t>(end - text_.data());
    }
    if (!next_is(']')) return std::unexpected(fault("lacks a closing bracket").error());
    ++at_;
    return {};
  }

  Expected<JsonPath> fault(std::string_view what) const {
    return usage_error(fmt::format("the path of \"{}\" {}", printable_prefix(text_, kShown), what));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Expected<JsonPath> read_json_path(std::string_view text) { return PathReader(text).read(); }

}  // namespace thrum::http
