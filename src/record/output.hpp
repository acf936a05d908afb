// A file or descriptor that bytes go to, all of them or an error that names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "thrum/error.hpp"

namespace thrum {

class Output {
 public:
  static Expected<Output> create(const std::string& path);  // or truncates
  Output(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

  // Blocks while the other end is slow (its flags are not touched: they are shared with whoever holds it). SIGPIPE must be
  // blocked or ignored by the caller's thread.
  Expected<void> write(std::string_view bytes);
  // Makes write() give up (with an error) when this descriptor becomes readable, wherever it waits.
  void give_up_on(int fd) { give_up_fd_ = fd; }

  int fd() const { return fd_; }
  const std::string& name() const { return name_; }
  std::uint64_t written() const { return written_; }

 private:
  bool wait_for_room() const;  // false: to give up

  Fd owned_;
  int fd_ = -1;
  int give_up_fd_ = -1;
  int can_block_ = -1;  // whether it is a pipe or the like; -1: not looked at yet
  std::string name_;
  std::uint64_t written_ = 0;
};

}  // namespace thrum
