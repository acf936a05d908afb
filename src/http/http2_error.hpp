// Words for what goes wrong in HTTP/2 alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/response_parser.hpp"

namespace thrum::http {

inline bool is_http2(ParseError e) { return e >= ParseError::stream_reset; }

// "http/2: stream reset by the server: ENHANCE_YOUR_CALM". `code`: of RFC 9113 section 7, kept by Response::code; `said`: what
// came instead of HTTP/2, "" if nothing did.
std::string describe_http2(ParseError e, std::uint32_t code, std::string_view said);

}  // namespace thrum::http
