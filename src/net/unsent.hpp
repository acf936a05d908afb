// What of a send has not left at once: the reactor finishes it when the socket is writable again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "net/reactor.hpp"

namespace thrum::net {

class Unsent {
 public:
  bool is_empty() const { return rest_ == nullptr && body_.empty(); }
  // Tries once to send head, then body. What is left over of the head is copied, of the body it is referred to. What the kernel
  // took is added to `sent`.
  SendOutcome begin(int fd, std::span<const char> head, std::span<const char> body, std::uint64_t& sent);
  // Of bytes that were taken for sent and were not: they come before all else.
  void put_first(std::span<const char> bytes);
  // To be sent after what is left. The head is copied, the body is referred to. Not when a body is left.
  void add(std::span<const char> head, std::span<const char> body);
  // Sends what is left, as far as the kernel takes it. After `failed` nothing is left.
  SendOutcome go_on(int fd, std::uint64_t& sent);

 private:
  std::unique_ptr<std::vector<char>> rest_;  // of a head
  std::size_t rest_sent_ = 0;
  std::span<const char> body_;
};

}  // namespace thrum::net
