// Heads of responses that came of late, byte for byte, and what they said. A server answers a request with the same head again and again,
// but for a date that changes once a second: comparing it costs a tenth of reading it.
//
// One for all connections of a thread. Bytes decide alone: what is not the same to the last one is read.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>

namespace thrum::http {

// What a head says about its response's end, and its connection's.
struct Framing {
  bool interim = false, continues = false, http10 = false, closes = false, keeps = false;
  bool has_length = false, bad_length = false, chunked = false, bad_coding = false;
  std::uint64_t length = 0;
};

class KnownHeads {
 public:
  static constexpr std::size_t kMostBytes = 1024;

  struct Head {
    Framing framing;
    int status = 0;
    std::uint16_t reason_at = 0, reason_size = 0;  // within the bytes
    std::uint16_t size = 0;                        // to the end of the empty line
    std::array<char, kMostBytes> bytes;

    bool begins(std::span<const char> of) const { return size > 0 && size <= of.size() && std::memcmp(bytes.data(), of.data(), size) == 0; }
  };

  // The head that `bytes` begin with; null: it is not known. Valid until the next learn().
  const Head* find(std::span<const char> bytes) {
    if (heads_[last_].begins(bytes)) return &heads_[last_];
    const auto found = std::ranges::find_if(heads_, [&](const Head& head) { return head.begins(bytes); });
    if (found == heads_.end()) return nullptr;
    last_ = static_cast<std::size_t>(found - heads_.begin());
    return &*found;
  }
  // `bytes`, kMostBytes at most, are a whole head that was read.
  void learn(std::span<const char> bytes, const Framing& framing, int status, std::size_t reason_at, std::size_t reason_size) {
    next_ = (next_ + 1) % heads_.size();
    last_ = next_;
    Head& head = heads_[next_];
    head.framing = framing;
    head.status = status;
    head.reason_at = static_cast<std::uint16_t>(reason_at);
    head.reason_size = static_cast<std::uint16_t>(reason_size);
    head.size = static_cast<std::uint16_t>(bytes.size());
    std::memcpy(head.bytes.data(), bytes.data(), bytes.size());
  }

 private:
  std::array<Head, 4> heads_;  // a few targets at a time
  std::size_t last_ = 0, next_ = 0;
};

}  // namespace thrum::http
