// The bytes of one input, file or pipe, through a window that decoders parse in place. Grows to hold the longest record;
// moves only in more(), so views into it live from one more() to the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum {

class ByteSource {
 public:
  // Bytes that may be read (as garbage) behind the window's end: decoders load whole words.
  static constexpr std::size_t kSlack = 64;

  // ReaderOptions::give_up; empty: never.
  using GiveUp = std::function<bool(bool heard_from)>;

  ByteSource(int fd, std::string name, GiveUp give_up = {});  // the descriptor stays the caller's
  ByteSource(Fd fd, std::string name, GiveUp give_up = {});

  const std::string& name() const { return name_; }
  int fd() const { return fd_; }
  std::string_view window() const { return {buffer_.get() + begin_, end_ - begin_}; }
  std::uint64_t offset() const { return offset_; }  // of the window's first byte, from where reading began
  void consume(std::size_t n) { begin_ += n, offset_ += n; }

  // Reads once, blocking on a pipe, behind what is in the window. false: the input has ended. An error when it was given up.
  Expected<bool> more();
  bool ended() const { return ended_; }
  // Whether more() would return at once; waits at most `timeout`.
  bool readable(Nanos timeout) const;
  void close();  // gives back the descriptor (if it is ours) and the memory

 private:
  bool wait_for_bytes() const;  // false: given up
  void make_room();

  Fd owned_;
  int fd_;
  std::string name_;
  GiveUp give_up_;
  bool can_block_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0, end_ = 0, capacity_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = false;
};

}  // namespace thrum
