#include "targets/http_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "http/syntax.hpp"
#include "http/url.hpp"
#include "targets/header_fault.hpp"
#include "targets/pragma.hpp"
#include "targets/space.hpp"

namespace thrum::targets {
namespace {

constexpr std::size_t kShown = 60;  // of a line, in an error

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

// "http://…": a scheme (RFC 3986 section 3.1) and what makes a URL absolute.
bool is_absolute_url(std::string_view s) {
  const std::size_t scheme = s.find("://");
  return scheme != std::string_view::npos && scheme > 0 && is_letter(s[0]) && std::ranges::all_of(s.substr(0, scheme), [](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
         });
}

// A line among a target's headers that starts the next target. `GET : x` is a header named GET.
bool starts_target(std::string_view line) {
  const std::size_t space = line.find(' ');
  return space != std::string_view::npos && space > 0 && std::ranges::all_of(line.substr(0, space), is_upper) &&
         is_absolute_url(line.substr(space + 1));
}

}  // namespace

Expected<bool> HttpTargets::next(Target& into) {
  into.name.clear();
  into.request_target.clear();
  into.weight = 0;
  into.expect = {};
  for (;; drop()) {
    const auto more = look();
    if (!more) return more;
    if (!*more) return end();
    if (line_.empty()) {
      if (targets_ > 0 && before_ == Before::nothing) before_ = Before::blank_line;
    } else if (is_pragma(line_)) {
      if (auto ok = pragma(into); !ok) return std::unexpected(std::move(ok.error()));
    } else if (!is_comment()) {
      break;
    }
  }
  size_ = 0;
  if (auto ok = target_line(into); !ok) return std::unexpected(std::move(ok.error()));
  drop();
  if (auto ok = rest_of_target(into); !ok) return std::unexpected(std::move(ok.error()));
  if (input_.interrupted()) return false;  // what follows may be missing from it
  ++targets_;
  return true;
}

Expected<void> HttpTargets::pragma(Target& into) {
  if (auto taken = read_pragma(line_, rules_, into); !taken) return fault(std::move(taken.error().text));
  before_ = Before::pragma;
  pragma_ = number_;
  return {};
}

// Makes line_ the next line, if there is one.
Expected<bool> HttpTargets::look() {
  if (length_ > 0) return true;
  if (input_.interrupted()) return false;
  for (std::size_t seen = 0;;) {
    const std::string_view rest = input_.rest();
    const std::size_t at = rest.find('\n', seen);
    const bool whole = at != std::string_view::npos;
    seen = rest.size();
    if (!whole && seen <= kLongest && input_.fill()) continue;
    if (input_.error()) return std::unexpected(*input_.error());
    if (input_.interrupted() || rest.empty()) return false;
    ++number_;
    length_ = whole ? at + 1 : rest.size();
    size_ += length_;
    line_ = trim_space(input_.rest().substr(0, whole ? at : rest.size()));
    if (length_ > kLongest) return fault("a line longer than 64 MiB");
    return true;
  }
}

void HttpTargets::drop() {
  input_.take(length_);
  length_ = 0;
}

Expected<void> HttpTargets::target_line(Target& into) {
  const std::size_t space = line_.find(' ');
  if (space == std::string_view::npos) return no_target_line();
  const std::string_view method = line_.substr(0, space);
  const std::string_view url = line_.substr(space + 1);
  if (!std::ranges::all_of(method, is_upper)) return no_target_line();
  if (url.starts_with(' ') || url.starts_with('\t'))
    return fault(fmt::format("more than one space between {} and its URL", printable_prefix(method, kShown)));
  if (auto parsed = http::parse_url(url); !parsed) return fault(std::move(parsed.error().text));
  into.method.assign(method);
  into.url.assign(url);
  into.body.reset();
  return {};
}

// Header lines and the body line, up to what ends the target: the body, a blank line, the next target or a pragma that speaks of it,
// the list's end.
Expected<void> HttpTargets::rest_of_target(Target& into) {
  std::size_t headers = 0;
  before_ = Before::nothing;
  pragma_ = 0;
  for (;; drop()) {
    const auto more = look();
    if (!more) return std::unexpected(more.error());
    if (!*more || starts_target(line_) || is_pragma(line_)) break;
    if (size_ > kLongest) return fault("a target longer than 64 MiB");
    if (is_comment()) continue;
    if (line_.empty()) {
      before_ = Before::blank_line;
      drop();
      break;
    }
    if (line_.starts_with('@')) {
      auto bytes = bodies_.get(line_.substr(1));
      if (!bytes) return fault(std::move(bytes.error().text));
      into.body = std::move(*bytes);
      before_ = Before::body;
      drop();
      break;
    }
    if (auto ok = header_line(into, headers); !ok) return ok;
  }
  into.headers.resize(headers);
  return {};
}

Expected<void> HttpTargets::header_line(Target& into, std::size_t& count) {
  const std::size_t colon = line_.find(':');
  if (colon == std::string_view::npos)
    return fault(
        fmt::format("\"{}\" is neither a header (Name: value) nor a target (METHOD http://host/path)", printable_prefix(line_, kShown)));
  const std::string_view name = trim_space(line_.substr(0, colon));
  const std::string_view value = trim_space(line_.substr(colon + 1));
  if (std::string wrong = header_fault(name, value); !wrong.empty()) {
    if (is_absolute_url(line_.substr(std::min(line_.size(), line_.find(' ') + 1))))
      wrong += "; if a target was meant, its method is in capital letters";
    return fault(std::move(wrong));
  }
  if (value.empty())
    return fault(fmt::format("header \"{}\" has no value (the json format can send an empty one)", printable_prefix(name, kShown)));
  if (count == into.headers.size()) into.headers.emplace_back();
  auto& header = into.headers[count++];
  header.first.assign(name);
  header.second.assign(value);
  return {};
}

std::unexpected<Error> HttpTargets::fault(std::string text) const {
  return failure(fmt::format("{}:{}: {}", input_.name(), number_, text));
}

// The line where a target had to begin does not begin one: say what it looks like.
std::unexpected<Error> HttpTargets::no_target_line() const {
  const std::string shown = printable_prefix(line_, kShown);
  const std::string_view word = line_.substr(0, line_.find_first_of(" \t"));
  const std::string_view after = trim_space(line_.substr(word.size()));
  if (line_.starts_with('{') || line_.starts_with('['))
    return fault(fmt::format("\"{}\" is no target line (METHOD http://host/path); JSON targets need -format=json", shown));
  if (line_.starts_with('@'))
    return fault(before_ == Before::body ? "a target has one body: this is its second @file"
                                         : fmt::format("body \"{}\" has no target above it{}", shown,
                                                       before_ == Before::blank_line ? " (a blank line ends a target)"
                                                       : before_ == Before::pragma   ? " (a pragma speaks of a target to come)"
                                                                                     : ""));
  if (is_absolute_url(word)) return fault(fmt::format("no method before the URL: write \"GET {}\"", shown));
  if (is_absolute_url(after) && http::is_token(word)) {
    if (std::ranges::all_of(word, is_upper)) return fault(fmt::format("a tab after {}: write one space", printable_prefix(word, kShown)));
    if (std::ranges::all_of(word, is_letter))
      return fault(fmt::format("method \"{}\" is not in capital letters", printable_prefix(word, kShown)));
    return fault(
        fmt::format("method \"{}\": only capital letters here (the json format takes any method)", printable_prefix(word, kShown)));
  }
  if (const std::size_t colon = line_.find(':'); colon != std::string_view::npos && http::is_token(trim_space(line_.substr(0, colon)))) {
    const std::string_view why = before_ == Before::body         ? ": headers come before the body's @file"
                                 : before_ == Before::blank_line ? " (a blank line ends a target)"
                                 : before_ == Before::pragma     ? " (a pragma speaks of a target to come)"
                                                                 : "";
    return fault(fmt::format("header \"{}\" has no target above it{}", shown, why));
  }
  return fault(fmt::format("\"{}\" is no target line (METHOD http://host/path)", shown));
}

Expected<bool> HttpTargets::end() {
  if (pragma_ > 0 && !input_.interrupted()) {
    number_ = pragma_;
    return fault("no target comes after this pragma, which would be what it is about");
  }
  if (targets_ > 0 || input_.interrupted()) return false;
  if (number_ == 0) return failure(fmt::format("{}: no targets: it is empty", input_.name()));
  return failure(
      fmt::format("{}: no targets: nothing but blank lines and comments ({} line{})", input_.name(), number_, number_ == 1 ? "" : "s"));
}

}  // namespace thrum::targets
