// Redirects (RFC 9110 section 15.4): which responses are followed, where to, and the request that follows. Pure; who follows
// them, and how often, is the load generator's business. docs/sending.md is the manual page of what is decided here.
#pragma once

#include <string>
#include <string_view>

#include "http/request.hpp"
#include "http/url.hpp"
#include "thrum/error.hpp"

namespace thrum::http {

// What is followed when the response names a Location. 300 leaves the choice to a person, 304 and 305 are no such thing.
constexpr bool is_redirect(int status) { return status == 301 || status == 302 || status == 303 || status == 307 || status == 308; }

// 307 and 308 send the same request elsewhere; the others ask for what is there, with GET (or HEAD, if it was that).
constexpr bool repeats_request(int status) { return status == 307 || status == 308; }

// Of the path and query of a URL that a redirect leads to: relative ones could make it longer from hop to hop.
inline constexpr std::size_t kMaxRedirectTarget = 32 * 1024;

// A path that begins with a slash, its dot segments resolved (RFC 3986 section 5.2.4).
std::string without_dots(std::string_view path);

// A Location (not empty) seen from the URL that was answered with it, as RFC 3986 section 5.2 has it; dots in its path are
// resolved. Bytes that can't stand in a request line are escaped. One line of error if it is no URL that can be sent to.
Expected<Url> resolve(const Url& base, std::string_view location);

// The request that follows `request`, which was answered with a redirect of this status to `location`:
//  - the user's Host stays with a Location that names no host;
//  - credentials stay on the same host and port, and when http on 80 becomes https on 443; else they are dropped for good;
//  - Referer is the URL before it, without user info or fragment, unless the user gave one, and never from https to http;
//  - a body that is not sent again takes its Content-… headers with it; a chunked one has its length the next time.
Expected<PreparedRequest> follow(const PreparedRequest& request, int status, std::string_view location);

}  // namespace thrum::http
