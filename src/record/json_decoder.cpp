// Results from JSON lines. A line that is no result is passed over; so is a torn one at the end.
#include <fmt/format.h>

#include <cstring>

#include "record/decoder.hpp"
#include "record/json_line.hpp"

namespace thrum {
namespace {

constexpr std::size_t kBatch = 256;

class JsonDecoder final : public Decoder {
 public:
  explicit JsonDecoder(Input& input) : input_(input) {
    input_.begin_run(Encoding::json);
    rows_.reserve(kBatch);
  }

  std::span<const Result> next() override {
    rows_.clear();
    scratch_.clear();
    release();
    while (!input_.failure) {
      while (rows_.size() < kBatch && take_line()) {
      }
      if (!rows_.empty() || input_.failure) break;
      release();
      const auto more = input_.source.more();
      if (!more) {
        input_.failure = more.error();
      } else if (!*more) {
        take_last_line();
        break;
      }
    }
    input_.starved |= used_ == input_.source.window().size();
    return rows_;
  }

 private:
  void release() {
    input_.source.consume(used_);
    searched_ -= used_;
    used_ = 0;
  }

  // The next whole line of the window; false: there is none.
  bool take_line() {
    const std::string_view window = input_.source.window();
    searched_ = std::max(searched_, used_);
    const void* const end = searched_ < window.size() ? std::memchr(window.data() + searched_, '\n', window.size() - searched_) : nullptr;
    input_.starved = end == nullptr;
    if (end == nullptr) {
      searched_ = window.size();
      if (window.size() - used_ > kLongestRecord) pass_over_giant(window.size() - used_);
      return false;
    }
    const std::size_t size = static_cast<std::size_t>(static_cast<const char*>(end) - window.data()) - used_;
    parse(window.substr(used_, size), size + 1);
    used_ += size + 1;
    searched_ = used_;
    return !input_.failure;
  }

  void take_last_line() {
    const std::string_view line = input_.source.window().substr(used_);
    input_.starved = true;
    if (!line.empty()) parse(line, line.size());
    used_ += line.size();
  }

  void pass_over_giant(std::size_t bytes) {
    input_.damaged(input_.source.offset() + used_, bytes, "a line without an end");
    used_ += bytes;
    in_giant_ = true;
  }

  void parse(std::string_view line, std::size_t whole_size) {
    if (std::exchange(in_giant_, false)) return;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
    rows_.emplace_back();
    const char* const error = parser_.parse(line, rows_.back(), scratch_);
    if (error == nullptr) return;
    rows_.pop_back();
    const bool report = line.find("\"latencies\"") != std::string_view::npos;
    input_.damaged(input_.source.offset() + used_ + parser_.error_offset(), whole_size,
                   report ? "a JSON report, not results" : std::string(error));
  }

  Input& input_;
  JsonLineParser parser_;
  std::vector<Result> rows_;
  Scratch scratch_;
  std::size_t used_ = 0;      // bytes of the window that are done with
  std::size_t searched_ = 0;  // and those known to hold no newline
  bool in_giant_ = false;
};

}  // namespace

std::unique_ptr<Decoder> make_json_decoder(Input& input) { return std::make_unique<JsonDecoder>(input); }

}  // namespace thrum
