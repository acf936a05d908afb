#include "net/unsent.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace thrum::net {
namespace {

constexpr int kFlags = MSG_NOSIGNAL | MSG_DONTWAIT;

ssize_t send_parts(int fd, std::span<const char> first, std::span<const char> second) {
  ssize_t n;
  do {
    if (second.empty()) {
      n = ::send(fd, first.data(), first.size(), kFlags);
    } else {
      iovec parts[2] = {{const_cast<char*>(first.data()), first.size()}, {const_cast<char*>(second.data()), second.size()}};
      msghdr message{};
      message.msg_iov = parts;
      message.msg_iovlen = 2;
      n = sendmsg(fd, &message, kFlags);
    }
  } while (n < 0 && errno == EINTR);
  return n;
}

bool is_full(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

}  // namespace

SendOutcome Unsent::begin(int fd, std::span<const char> head, std::span<const char> body, std::uint64_t& sent) {
  const ssize_t n = send_parts(fd, head, body);
  if (n < 0 && !is_full(errno)) return {SendOutcome::State::failed, errno};
  const auto taken = static_cast<std::size_t>(std::max<ssize_t>(0, n));
  sent += taken;
  if (taken == head.size() + body.size()) return {};
  if (taken < head.size()) {
    rest_ = std::make_unique<std::vector<char>>(head.begin() + static_cast<std::ptrdiff_t>(taken), head.end());
    rest_sent_ = 0;
    body_ = body;
  } else {
    body_ = body.subspan(taken - head.size());
  }
  return {SendOutcome::State::pending, 0};
}

void Unsent::put_first(std::span<const char> bytes) {
  if (rest_ == nullptr) rest_ = std::make_unique<std::vector<char>>(), rest_sent_ = 0;
  rest_->insert(rest_->begin() + static_cast<std::ptrdiff_t>(rest_sent_), bytes.begin(), bytes.end());
}

void Unsent::add(std::span<const char> head, std::span<const char> body) {
  if (rest_ == nullptr) rest_ = std::make_unique<std::vector<char>>(), rest_sent_ = 0;
  rest_->insert(rest_->end(), head.begin(), head.end());
  body_ = body;
}

SendOutcome Unsent::go_on(int fd, std::uint64_t& sent) {
  while (!is_empty()) {
    const std::span<const char> rest = rest_ == nullptr ? std::span<const char>{} : std::span<const char>(*rest_).subspan(rest_sent_);
    const ssize_t n = rest.empty() ? send_parts(fd, body_, {}) : send_parts(fd, rest, body_);
    if (n < 0) {
      if (is_full(errno)) return {SendOutcome::State::pending, 0};
      const int error = errno;
      rest_.reset();
      body_ = {};
      return {SendOutcome::State::failed, error};
    }
    const auto taken = static_cast<std::size_t>(n);
    sent += taken;
    const std::size_t of_rest = std::min(taken, rest.size());
    rest_sent_ += of_rest;
    if (of_rest == rest.size()) rest_.reset();
    body_ = body_.subspan(taken - of_rest);
  }
  return {};
}

}  // namespace thrum::net
