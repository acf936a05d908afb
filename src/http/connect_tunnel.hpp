// A tunnel through an HTTP proxy: CONNECT, and the answer to it (RFC 9110 section 9.3.6).
#pragma once

#include <memory>
#include <string>

#include "net/tunnel.hpp"

namespace thrum::http {

// `authority`: "host:port" of whom to be connected to; `lines`: further header lines, each with its CRLF. What a proxy answers
// that is no 2xx is a fault of source `answer` with the status as its code.
std::unique_ptr<net::Tunnel> make_connect_tunnel(const std::string& authority, const std::string& lines);

}  // namespace thrum::http
