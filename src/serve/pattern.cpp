#include "serve/pattern.hpp"

#include <algorithm>
#include <string>

namespace thrum::serve {
namespace {

std::string make_pattern() {
  constexpr std::string_view kLine = "The quick brown fox jumps over the lazy dog, 0123456789 times.\r\n";
  static_assert(kLine.size() == 64);
  std::string s;
  s.reserve(kPatternBytes);
  while (s.size() < kPatternBytes) s += kLine;
  return s;
}

}  // namespace

std::string_view pattern(std::size_t n) {
  static const std::string text = make_pattern();
  return std::string_view(text).substr(0, n);
}

BodySource::Piece PatternBody::next() {
  const std::string_view bytes = pattern(static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPatternBytes)));
  left_ -= bytes.size();
  return {bytes, left_ == 0};
}

BodySource::Piece ChunkedBody::next() {
  if (left_ == 0) return {{}, true};
  --left_;
  return {pattern(size_), left_ == 0};
}

}  // namespace thrum::serve
