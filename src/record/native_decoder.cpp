// Results from the native format: block after block; behind damage, the next block whose check is right.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "record/decoder.hpp"
#include "record/native_block.hpp"
#include "record/native_format.hpp"

namespace thrum {
namespace {

using namespace native;

constexpr std::size_t kLongestBlock = std::size_t{1} << 30;

class NativeDecoder final : public Decoder {
 public:
  explicit NativeDecoder(Input& input) : input_(input) {}

  std::span<const Result> next() override {
    for (;;) {
      if (block_.rows_left() != 0) {
        const auto rows = block_.next_rows();
        if (rows.empty()) drop_block();
        results_ += rows.size();
        input_.starved = block_.rows_left() == 0 && !holds_block(input_.source.window().substr(used_));
        if (!rows.empty()) return rows;
      }
      if (input_.failure) return {};
      note_lost_strings();
      input_.source.consume(std::exchange(used_, 0));
      switch (take()) {
        case Take::done:
          break;
        case Take::bad:
          lose("a damaged block");
          break;
        case Take::incomplete:
          if (!read_more()) return {};
          break;
      }
    }
  }

 private:
  enum class Take : std::uint8_t { done, incomplete, bad };

  static bool holds_block(std::string_view text) {
    return text.size() >= kBlockHeaderSize && text.size() - kBlockHeaderSize >= read_fixed<std::uint32_t>(text.data() + 4);
  }

  // false: the input has ended, or failed.
  bool read_more() {
    if (input_.source.ended()) {
      if (input_.source.window().empty()) {
        end_of_loss();
        note_missing_end();
        return false;
      }
      lose("the last block is cut");  // and another stream may follow the torn one
      return true;
    }
    input_.starved = true;
    const auto more = input_.source.more();
    if (!more) return input_.failure = more.error(), false;
    input_.starved = false;
    return true;
  }

  void lose(const char* why) {
    if (skipped_ == 0) lost_why_ = why;
    pass_over(1);
  }

  // What starts at the window's first byte (skipped_ bytes before it were passed over as damage).
  Take take() {
    const std::string_view text = input_.source.window();
    if (skipped_ != 0) return resume(text);
    if (text.starts_with(kSignature.substr(0, 1))) return take_signature(text);
    return take_block(text);
  }

  // Behind damage: where a signature or a block may start.
  Take resume(std::string_view text) {
    const auto may_start = [](char c) { return c == kBlockMagic[0] || c == kSignature[0]; };
    const auto found = std::find_if(text.begin(), text.end(), may_start);
    pass_over(static_cast<std::size_t>(found - text.begin()));
    const std::string_view rest = input_.source.window();
    if (rest.empty()) return Take::incomplete;
    const Take taken = rest[0] == kSignature[0] ? take_signature(rest) : take_block(rest);
    if (taken != Take::bad) return taken;
    lose("");
    return Take::done;
  }

  void pass_over(std::size_t bytes) {
    input_.source.consume(bytes);
    skipped_ += bytes;
  }

  void end_of_loss() {
    if (skipped_ == 0) return;
    input_.damaged(input_.source.offset() - skipped_, skipped_, lost_why_);
    skipped_ = 0;
  }

  Take take_signature(std::string_view text) {
    const std::size_t n = std::min(text.size(), kSignature.size());
    if (text.substr(0, n) != kSignature.substr(0, n)) return Take::bad;
    if (text.size() < kSignatureSize) return Take::incomplete;
    const auto version = static_cast<std::uint8_t>(text[kSignature.size()]);
    // Within damage a version that nobody has written is more likely part of the damage.
    if (version != kFormatVersion && skipped_ != 0) return Take::bad;
    if (version != kFormatVersion) {
      input_.failure = Error{ErrorKind::failure,
                             fmt::format("{}: results in version {} of thrum's format, and this thrum reads version {}: use a newer thrum",
                                         printable(input_.source.name()), version, kFormatVersion)};
      return Take::done;
    }
    end_of_loss();
    begin_run();
    used_ = kSignatureSize;
    return Take::done;
  }

  Take take_block(std::string_view text) {
    const std::size_t n = std::min(text.size(), kBlockMagic.size());
    if (text.substr(0, n) != kBlockMagic.substr(0, n)) return Take::bad;
    if (text.size() < kBlockHeaderSize) return Take::incomplete;
    if (read_fixed<std::uint32_t>(text.data() + 13, 3) != header_check(text.data())) return Take::bad;
    const std::size_t length = read_fixed<std::uint32_t>(text.data() + 4);
    if (length > kLongestBlock) return Take::bad;
    if (text.size() - kBlockHeaderSize < length) return Take::incomplete;
    const std::string_view payload = text.substr(kBlockHeaderSize, length);
    if (read_fixed<std::uint32_t>(text.data() + 8) != payload_check(payload)) return Take::bad;
    end_of_loss();
    used_ = kBlockHeaderSize + length;
    if (!input_.failure) open_block(static_cast<BlockKind>(text[12]), payload);
    return Take::done;
  }

  void open_block(BlockKind kind, std::string_view payload) {
    if (run_ == nullptr) begin_run();
    switch (kind) {
      case BlockKind::header:
        if (auto header = file_header_from_json(payload)) run_->header = std::move(*header);
        has_header_ = true;
        break;
      case BlockKind::event:
        if (auto event = event_from_json(payload)) run_->events.push_back(std::move(*event));
        break;
      case BlockKind::closing:
        if (auto books = closing_books_from_json(payload)) run_->closing = std::move(*books);
        note_missing_results();
        break;
      case BlockKind::results:
        if (!block_.open(payload, strings_)) drop_block();
        break;
      default:
        break;  // a kind of a newer version, which says that it may be passed over by using this one
    }
  }

  void begin_run() {
    note_missing_end();
    run_ = &input_.begin_run(Encoding::native);
    strings_.clear();
    results_ = 0;
    has_header_ = end_is_noted_ = false;
  }

  void drop_block() {
    input_.damaged(input_.source.offset(), used_, "a block whose contents make no sense");
    block_ = {};
  }

  void note_lost_strings() {
    if (block_.lost_strings() != 0)
      input_.damaged(input_.source.offset(), 0, fmt::format("{} names defined in lost blocks", block_.lost_strings()));
    if (block_.lost_strings() != 0) block_ = {};
  }

  // A run that was recorded closes its books; what was made of other results (it has a source) may have none.
  void note_missing_end() {
    if (run_ == nullptr || run_->closing || std::exchange(end_is_noted_, true)) return;
    if (has_header_ && (run_->header.tool.empty() || !run_->header.source.empty())) return;
    if (!input_.is_damaged()) input_.damaged(input_.source.offset(), 0, "the run's end is missing: it was killed, or is still running");
  }

  // Blocks that were cut out whole leave no trace but this.
  void note_missing_results() {
    const std::uint64_t written = run_->closing ? run_->closing->results : 0;
    if (results_ < written && !input_.is_damaged())
      input_.damaged(input_.source.offset(), 0, fmt::format("{} of {} results missing before here", written - results_, written));
  }

  Input& input_;
  Run* run_ = nullptr;
  StringReader strings_;
  ResultsBlock block_;
  std::size_t used_ = 0;       // bytes at the window's start that are done with when the block's rows are handed out
  std::uint64_t skipped_ = 0;  // bytes passed over just before the window
  const char* lost_why_ = "";  // and why the first of them
  std::uint64_t results_ = 0;  // of the run
  bool has_header_ = false;    // so has the run
  bool end_is_noted_ = false;  // that it is missing
};

}  // namespace

std::unique_ptr<Decoder> make_native_decoder(Input& input) { return std::make_unique<NativeDecoder>(input); }

}  // namespace thrum
