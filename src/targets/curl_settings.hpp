// What a curl command says about how its request is sent: certificates, redirects, proxies, places. Only what a command says changes
// anything, except that curl follows no redirects unless it is told to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "targets/curl_options.hpp"
#include "thrum/attacker.hpp"
#include "thrum/error.hpp"

namespace thrum::targets {

struct CurlSettings {
  enum class Http : std::uint8_t { unsaid, http1, http2_only };

  bool insecure = false;
  bool location = false;  // redirects are followed
  std::int32_t max_redirects = 50;
  bool keep_alive = true;
  bool chunked = false;
  Http http = Http::unsaid;
  std::optional<Nanos> timeout;      // 0: none
  std::optional<std::string> proxy;  // empty: none, whatever the environment says
  std::string no_proxy;              // hosts that go straight, as NO_PROXY has them
  std::vector<std::pair<std::string, std::string>> proxy_headers;
  std::vector<ConnectTo> connect_to;
  std::string unix_socket;
  std::vector<std::string> local_addresses, resolvers, root_cert_files;
  std::string cert_file, key_file;

  // The environment's proxies don't count then.
  bool says_proxy() const { return proxy.has_value() || no_proxy == "*"; }
};

// Into what an attack is asked for. Redirects, compression and chunks are the command's; what it doesn't speak of stays.
void apply(const CurlSettings& settings, AttackOptions& to);

// One option of those that are about sending, into `settings`; what can't be done as curl does it is a line in `notes`. `value` is
// "true" or "false" for a switch.
Expected<void> read_curl_setting(CurlAct act, std::string_view option, std::string_view value, CurlSettings& settings,
                                 std::vector<std::string>& notes);
// The proxy's user and password are an option of their own.
Expected<void> add_proxy_user(std::string_view user, CurlSettings& settings);

}  // namespace thrum::targets
