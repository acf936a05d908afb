// Which proxies the environment names: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY, and the same in lower case.
#pragma once

#include <functional>
#include <string>

#include "thrum/attacker.hpp"

namespace thrum::mode {

// `get` gives a variable's value, "" if it is not set; capital letters come first, as in Go. HTTP_PROXY in capital letters is not
// heeded where REQUEST_METHOD is set: in a CGI program it is what a client sent as a header named Proxy.
void add_environment(ProxyOptions& to, const std::function<std::string(const char* name)>& get);

// The process's own.
std::string environment_variable(const char* name);

}  // namespace thrum::mode
