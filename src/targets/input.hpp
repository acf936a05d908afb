// The bytes of a targets list as they arrive: a buffer over a descriptor, or over text in memory. One thread reads; another
// may interrupt it. The descriptor's flags are left alone: they are shared with whoever holds its other end.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "thrum/error.hpp"

namespace thrum::targets {

// The longest line, string or target. More than that is no target but a wrong file.
inline constexpr std::size_t kLongest = std::size_t{64} << 20;

class Input {
 public:
  // "-" and "stdin" are standard input.
  static Expected<Input> open(const std::string& file);
  // Text that outlives the input, handed out at most `step` bytes at a time (tests cut it anywhere).
  static Input text(std::string_view text, std::string name, std::size_t step = kChunk);

  // For messages: "targets.txt", "stdin".
  const std::string& name() const { return name_; }
  // Where the list lies, empty if it is no file.
  const std::string& folder() const { return folder_; }

  // Bytes read and not yet taken. A byte order mark at the very start is never among them.
  std::string_view rest() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void take(std::size_t n) { begin_ += n; }
  // Reads more behind rest(), which moves. false: no more bytes (the end, an error, or interrupted).
  bool fill();
  // Bytes read so far.
  std::uint64_t total() const { return total_; }
  const std::optional<Error>& error() const { return error_; }

  // From another thread: a fill() that waits gives up, and later ones do not start.
  void interrupt();
  bool interrupted() const { return stop_->asked.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kChunk = 64 * 1024;
  struct Stop {
    std::atomic<bool> asked{false};
    Fd event;
  };

  Input() = default;
  void make_room();
  bool read_some();
  void skip_byte_order_mark();

  std::string name_, folder_;
  Fd owned_;
  int fd_ = -1;  // none: text
  std::string_view text_;
  std::size_t step_ = kChunk;  // most bytes asked for, or handed out, at once
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t total_ = 0;
  bool started_ = false;
  std::optional<Error> error_;
  std::unique_ptr<Stop> stop_ = std::make_unique<Stop>();
};

}  // namespace thrum::targets
