// Room http: URLs, requests, responses, sessions. It must not know who schedules a request or who counts its result.
//
// Absolute URLs of targets, as strict and as lenient as Go's net/url is for vegeta's users.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "thrum/error.hpp"

namespace thrum::http {

struct Url {
  bool tls = false;        // https
  std::string host;        // name or IP literal, no brackets, zone unescaped (fe80::1%lo), lower case not forced
  std::uint16_t port = 0;  // the scheme's default where none is written
  std::string authority;   // for Host: as written, brackets kept, zone left out, the default port left out
  std::string target;      // path and query as they go on the wire, at least "/"; fragment gone; user info gone
  std::string user_info;   // "user:password" unescaped, empty if none: becomes Authorization: Basic
  bool has_path = true;    // false: none was written, and the "/" of `target` is ours
};

// One line of error, naming the URL (cut when long) and what is wrong with it.
Expected<Url> parse_url(std::string_view text);

}  // namespace thrum::http
