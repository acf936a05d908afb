// Bodies as they were before they were coded for the way (RFC 9110 section 8.4): gzip and deflate. Only for those who look into
// bodies; everybody else counts them as they came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace thrum::http {

enum class Decoding : std::uint8_t {
  done,
  unknown,   // coded in a way that is not known here
  damaged,   // not what it says it is, or cut short
  too_long,  // decoded it is longer than `most`: a bomb, or just large
};

// Whether a Content-Encoding of this value says that the body is coded at all.
bool is_coded(std::string_view coding);
// The body decoded, of at most `most` bytes (a little may be kept above that before it shows). Of one that is not coded, or
// empty, `into` is left empty.
Decoding decode_body(std::string_view body, std::string_view coding, std::size_t most, std::string& into);

}  // namespace thrum::http
