#include "http2_frames.hpp"

#include <nghttp2/nghttp2.h>

#include <stdexcept>

namespace thrum::golden {
namespace {

std::uint32_t number(std::string_view bytes) {
  std::uint32_t n = 0;
  for (const char c : bytes) n = n << 8 | static_cast<unsigned char>(c);
  return n;
}

std::vector<std::pair<std::string, std::string>> inflate(nghttp2_hd_inflater* inflater, std::string_view in) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (;;) {
    nghttp2_nv field;
    int flags = 0;
    const ssize_t used = nghttp2_hd_inflate_hd2(inflater, &field, &flags, reinterpret_cast<const std::uint8_t*>(in.data()), in.size(), 1);
    if (used < 0) throw std::runtime_error("headers that can't be read");
    in.remove_prefix(static_cast<std::size_t>(used));
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0)
      fields.emplace_back(std::string(reinterpret_cast<const char*>(field.name), field.namelen),
                          std::string(reinterpret_cast<const char*>(field.value), field.valuelen));
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
  }
  nghttp2_hd_inflate_end_headers(inflater);
  return fields;
}

}  // namespace

std::vector<Http2Frame> read_frames(std::string_view bytes) {
  constexpr std::size_t kHead = 9;
  nghttp2_hd_inflater* inflater = nullptr;
  if (nghttp2_hd_inflate_new(&inflater) != 0) throw std::bad_alloc();
  std::vector<Http2Frame> frames;
  while (bytes.size() >= kHead && bytes.size() - kHead >= number(bytes.substr(0, 3))) {
    Http2Frame& frame = frames.emplace_back();
    const std::size_t size = number(bytes.substr(0, 3));
    frame.type = static_cast<unsigned char>(bytes[3]);
    frame.flags = static_cast<unsigned char>(bytes[4]);
    frame.stream = number(bytes.substr(5, 4));
    frame.payload = bytes.substr(kHead, size);
    if (frame.type == NGHTTP2_HEADERS) frame.fields = inflate(inflater, frame.payload);
    bytes.remove_prefix(kHead + size);
  }
  nghttp2_hd_inflate_del(inflater);
  return frames;
}

}  // namespace thrum::golden
