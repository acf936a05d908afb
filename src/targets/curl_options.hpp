// The options of the curl command, and what becomes of each here: taken over, passed over because it changes nothing that is sent, named
// because it can't be reproduced, or refused because without it the request isn't known. Those of HTTP up to curl 8.17; options for other
// protocols are refused as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thrum::targets {

enum class CurlAct : std::uint8_t {
  pass,        // output, logging, retries: nothing that is sent
  note,        // `why` says what is not as with curl
  refuse,      // `why` says why
  other_auth,  // as note, and the command's user and password are for that
  // The request.
  url,
  method,
  head,
  get,
  data,
  data_raw,
  data_binary,
  data_urlencode,
  json,
  form,
  form_string,
  form_escape,
  upload,
  url_query,
  request_target,
  path_as_is,
  globoff,
  proto_default,
  header,
  user,
  bearer,
  basic,
  cookie,
  user_agent,
  referer,
  range,
  continue_at,
  compressed,
  // How it is sent.
  location,
  max_redirs,
  insecure,
  keepalive,
  max_time,
  http1,
  http2,
  http2_only,
  alpn,
  proxy,
  socks5,
  socks5_hostname,
  proxy_user,
  proxy_header,
  noproxy,
  connect_to,
  resolve,
  unix_socket,
  abstract_unix_socket,
  local_address,
  dns_servers,
  cacert,
  cert,
  key,
};

struct CurlOption {
  std::string_view name;
  char letter = 0;  // 0: none
  bool takes = false;
  CurlAct act = CurlAct::pass;
  std::string_view why = {};
};

// Null: curl has none of that name, or not one that is known here.
const CurlOption* curl_option(std::string_view name);
const CurlOption* curl_option(char letter);
// The option that was probably meant, empty if none is near.
std::string nearest_curl_option(std::string_view name);

}  // namespace thrum::targets
