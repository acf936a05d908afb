// The URL of a curl command as curl reads it: patterns, a scheme that is left out, dots in the path, what -G and -T add. What goes into the
// request line is kept byte for byte, even where a URL of ours would have it escaped.
#pragma once

#include <string>
#include <string_view>

#include "thrum/error.hpp"

namespace thrum::targets {

struct CurlUrlRules {
  bool globoff = false;         // braces and brackets are themselves
  bool path_as_is = false;      // dots stay
  std::string scheme = "http";  // where none is written
  std::string query;            // added to the URL's own
  bool has_query = false;       // and it is, even if empty
  std::string file;             // uploaded: its name ends a URL that ends with a slash
};

struct CurlUrl {
  std::string url;             // without user info and fragment
  std::string request_target;  // where `url` would ask for something else; else empty
  std::string user_info;       // "user:password", unescaped; empty: none
};

Expected<CurlUrl> read_curl_url(std::string_view text, const CurlUrlRules& rules);

// As curl escapes what it puts into URLs and forms: all but letters, digits and -._~
std::string escape_all(std::string_view text);

}  // namespace thrum::targets
