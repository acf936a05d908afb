// An endless text, and bodies cut from it that are never held: they are made as they are sent, whatever their length.
#pragma once

#include <cstdint>
#include <string_view>

#include "serve/response.hpp"

namespace thrum::serve {

// The first n bytes of the text (lines of 64 characters); at most kPatternBytes.
inline constexpr std::size_t kPatternBytes = 256 * 1024;
std::string_view pattern(std::size_t n);

class PatternBody final : public BodySource {
 public:
  explicit PatternBody(std::uint64_t length) : left_(length) {}
  Piece next() override;

 private:
  std::uint64_t left_;
};

// `count` pieces of `size` bytes each.
class ChunkedBody final : public BodySource {
 public:
  ChunkedBody(std::uint64_t count, std::size_t size, bool trailers) : left_(count), size_(size), trailers_(trailers) {}
  Piece next() override;
  std::string_view trailers() override { return trailers_ ? "X-Chunks: done\r\n" : ""; }

 private:
  std::uint64_t left_;
  const std::size_t size_;
  const bool trailers_;
};

}  // namespace thrum::serve
