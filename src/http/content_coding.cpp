#include "http/content_coding.hpp"

#include <zlib.h>

#include <algorithm>

#include "base/text.hpp"

namespace thrum::http {
namespace {

constexpr std::size_t kRoom = 16 * 1024;
constexpr int kGzipOrZlib = 15 + 32, kRaw = -15;  // zlib's window bits: 32 lets it see which of the two it is

// Decodes by one of zlib's formats.
Decoding inflate_all(std::string_view body, int window_bits, std::size_t most, std::string& into) {
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) return Decoding::damaged;
  into.clear();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));  // NOLINT: zlib doesn't write there
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(body.size(), UINT_MAX));
  Decoding result = Decoding::damaged;
  for (;;) {
    const std::size_t before = into.size();
    into.resize(before + kRoom);
    stream.next_out = reinterpret_cast<Bytef*>(into.data() + before);
    stream.avail_out = kRoom;
    const int code = inflate(&stream, Z_NO_FLUSH);
    into.resize(before + kRoom - stream.avail_out);
    if (into.size() > most) {
      result = Decoding::too_long;
      break;
    }
    if (code == Z_STREAM_END) {
      // Several gzip members may follow each other (RFC 1952 section 2.2).
      if (window_bits == kGzipOrZlib && stream.avail_in > 0 && inflateReset(&stream) == Z_OK) continue;
      result = Decoding::done;
      break;
    }
    if (code != Z_OK || (stream.avail_in == 0 && stream.avail_out > 0)) break;  // damaged, or cut short
  }
  inflateEnd(&stream);
  return result;
}

}  // namespace

bool is_coded(std::string_view coding) {
  const std::string_view word = trim(coding);
  return !word.empty() && !equal_ignoring_case(word, "identity");
}

Decoding decode_body(std::string_view body, std::string_view coding, std::size_t most, std::string& into) {
  const std::string_view word = trim(coding);
  into.clear();
  if (!is_coded(word) || body.empty()) return Decoding::done;
  if (equal_ignoring_case(word, "gzip") || equal_ignoring_case(word, "x-gzip")) return inflate_all(body, kGzipOrZlib, most, into);
  if (!equal_ignoring_case(word, "deflate")) return Decoding::unknown;
  // What is called deflate is zlib's format by the standard, and the bare one by some servers.
  const Decoding by_standard = inflate_all(body, kGzipOrZlib, most, into);
  return by_standard == Decoding::damaged ? inflate_all(body, kRaw, most, into) : by_standard;
}

}  // namespace thrum::http
