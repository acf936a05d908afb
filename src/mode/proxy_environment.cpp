#include "mode/proxy_environment.hpp"

#include <cstdlib>

namespace thrum::mode {

void add_environment(ProxyOptions& to, const std::function<std::string(const char* name)>& get) {
  const auto first_of = [&](std::initializer_list<const char*> names) {
    for (const char* name : names)
      if (std::string value = get(name); !value.empty()) return value;
    return std::string();
  };
  const bool is_cgi = !get("REQUEST_METHOD").empty();
  to.for_http =
      is_cgi ? first_of({"http_proxy", "ALL_PROXY", "all_proxy"}) : first_of({"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"});
  to.for_https = first_of({"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"});
  to.except = first_of({"NO_PROXY", "no_proxy"});
}

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace thrum::mode
