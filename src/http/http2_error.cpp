#include "http/http2_error.hpp"

#include <array>

#include "base/text.hpp"

namespace thrum::http {
namespace {

// RFC 9113 section 7.
constexpr std::array<std::string_view, 14> kCodes{"NO_ERROR",
                                                  "PROTOCOL_ERROR",
                                                  "INTERNAL_ERROR",
                                                  "FLOW_CONTROL_ERROR",
                                                  "SETTINGS_TIMEOUT",
                                                  "STREAM_CLOSED",
                                                  "FRAME_SIZE_ERROR",
                                                  "REFUSED_STREAM",
                                                  "CANCEL",
                                                  "COMPRESSION_ERROR",
                                                  "CONNECT_ERROR",
                                                  "ENHANCE_YOUR_CALM",
                                                  "INADEQUATE_SECURITY",
                                                  "HTTP_1_1_REQUIRED"};

std::string name_of(std::uint32_t code) { return code < kCodes.size() ? std::string(kCodes[code]) : "error " + std::to_string(code); }

}  // namespace

std::string describe_http2(ParseError e, std::uint32_t code, std::string_view said) {
  const std::string text = "http/2: " + std::string(describe(e));
  switch (e) {
    case ParseError::stream_reset:
    case ParseError::stream_refused:
    case ParseError::goaway:
    case ParseError::protocol_broken:
      return text + ": " + name_of(code);
    case ParseError::not_http2:
      return text + (said.empty() ? ": it closed the connection without a word" : ": it said " + printable(said));
    default:
      return text;
  }
}

}  // namespace thrum::http
