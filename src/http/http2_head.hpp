// A request's head as HTTP/2 sends it: a list of fields with lower-case names, made once per target from the head that HTTP/1.1
// would send, so that the rules of what is sent are in one place (request.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thrum::http {

struct Http2Head {
  // Places in `text`: a head may be moved about.
  struct Field {
    std::uint32_t name_at = 0, name_size = 0, value_at = 0, value_size = 0;
  };
  std::string text;
  std::vector<Field> fields;  // pseudo-header fields first; the hit number's field follows them all and is not among them

  bool is_empty() const { return fields.empty(); }
  std::size_t bytes() const { return text.size() + fields.size() * sizeof(Field); }
  std::string_view name(const Field& f) const { return std::string_view(text).substr(f.name_at, f.name_size); }
  std::string_view value(const Field& f) const { return std::string_view(text).substr(f.value_at, f.value_size); }
};

inline constexpr std::string_view kHttp2SequenceName = "x-thrum-seq";

// From a head that prepare() rendered. Left out is what belongs to an HTTP/1.1 connection (RFC 9113 section 8.2.2).
Http2Head to_http2(std::string_view http1_head, std::string_view scheme);

}  // namespace thrum::http
