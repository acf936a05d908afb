// A set of HTTP status codes, such as those that count as success.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "thrum/error.hpp"

namespace thrum {

class StatusSet {
 public:
  StatusSet();  // 200 to 399, as in vegeta
  // "200-399", "2xx", "200,204,404"
  static Expected<StatusSet> parse(std::string_view text);

  bool has(std::uint16_t code) const { return code < kCodes && (bits_[code / 64] >> (code % 64) & 1) != 0; }
  bool operator==(const StatusSet&) const = default;

 private:
  static constexpr std::uint16_t kCodes = 1024;
  void add(std::uint16_t first, std::uint16_t last);
  std::array<std::uint64_t, kCodes / 64> bits_{};
};

}  // namespace thrum
