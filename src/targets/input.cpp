#include "targets/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "targets/file.hpp"

namespace thrum::targets {

Expected<Input> Input::open(const std::string& file) {
  Input input;
  if (is_standard_input(file)) {
    input.name_ = "stdin";
    input.fd_ = STDIN_FILENO;
  } else {
    // A named pipe that nobody writes to yet must not hold us where no signal reaches; poll() waits for its first writer.
    struct stat status{};
    const bool is_fifo = ::stat(file.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
    auto fd = open_file(file, "targets file", is_fifo ? O_NONBLOCK : 0);
    if (!fd) return std::unexpected(std::move(fd.error()));
    input.name_ = printable(file);
    input.folder_ = std::filesystem::path(file).parent_path().string();
    input.fd_ = fd->get();
    input.owned_ = std::move(*fd);
  }
  input.stop_->event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!input.stop_->event.is_open())
    return failure(fmt::format("{}: cannot be read: {}", input.name_, lower(std::generic_category().message(errno))));
  return input;
}

Input Input::text(std::string_view text, std::string name, std::size_t step) {
  Input input;
  input.name_ = std::move(name);
  input.text_ = text;
  input.step_ = std::clamp<std::size_t>(step, 1, kChunk);
  return input;
}

bool Input::fill() {
  if (started_) return read_some();
  started_ = true;
  skip_byte_order_mark();
  return begin_ < end_ || (!error_ && read_some());
}

// Editors on Windows put three bytes in front of UTF-8; shells there write UTF-16, which nothing here could read.
void Input::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  while (rest().size() < mark.size() && mark.starts_with(rest()) && read_some()) {
  }
  if (rest().starts_with(mark)) return take(mark.size());
  while (rest().size() == 1 && (rest()[0] == '\xff' || rest()[0] == '\xfe') && read_some()) {
  }
  if (!rest().starts_with("\xff\xfe") && !rest().starts_with("\xfe\xff")) return;
  error_ = Error{ErrorKind::failure, fmt::format("{}:1: the text is UTF-16; save it as UTF-8", name_)};
  begin_ = end_;
}

void Input::make_room() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // One long line must not keep its memory for the rest of the attack.
  if (buffer_.size() > 16 * kChunk && end_ < kChunk) {
    buffer_.resize(2 * kChunk);
    buffer_.shrink_to_fit();
  }
  if (buffer_.size() - end_ < step_) buffer_.resize(2 * std::max(step_, buffer_.size()));
}

bool Input::read_some() {
  if (interrupted() || error_) return false;
  make_room();
  if (fd_ < 0) {
    const std::size_t n = std::min(step_, text_.size());
    std::memcpy(buffer_.data() + end_, text_.data(), n);
    text_.remove_prefix(n);
    end_ += n;
    total_ += n;
    return n > 0;
  }
  for (;;) {
    std::array<pollfd, 2> wait{{{fd_, POLLIN, 0}, {stop_->event.get(), POLLIN, 0}}};
    if (::poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) wait[0].revents = POLLIN;
    if (interrupted()) return false;
    if (wait[0].revents == 0) continue;
    const ssize_t n = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
    if (n >= 0) {
      end_ += static_cast<std::size_t>(n);
      total_ += static_cast<std::uint64_t>(n);
      return n > 0;
    }
    if (errno == EINTR || errno == EAGAIN) continue;
    error_ = Error{ErrorKind::failure, fmt::format("{}: {}", name_, lower(std::generic_category().message(errno)))};
    return false;
  }
}

void Input::interrupt() {
  stop_->asked.store(true, std::memory_order_relaxed);
  const std::uint64_t one = 1;
  if (stop_->event.is_open()) (void)!::write(stop_->event.get(), &one, sizeof one);
}

}  // namespace thrum::targets
