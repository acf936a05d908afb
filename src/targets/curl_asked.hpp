// What the options of a curl command say about its request, before a request is made of it. Reading (curl_command.cpp) and making
// (curl_request.cpp) meet here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/curl_command.hpp"
#include "targets/curl_data.hpp"
#include "targets/curl_form.hpp"
#include "targets/curl_url.hpp"

namespace thrum::targets {

struct CurlAsked {
  std::optional<std::string> url;
  CurlUrlRules rules;
  std::string method;  // -X
  bool head = false, get = false;

  std::string data;
  bool has_data = false, is_json = false;
  std::vector<FormField> form;
  bool form_escape = false;
  std::optional<std::string> upload;
  std::string url_query;
  bool has_url_query = false;
  std::string request_target;

  struct Header {
    std::string name, value;
    bool is_removal = false;  // "Name:" takes away what curl would send by itself
  };
  std::vector<Header> headers;
  std::optional<std::string> user, bearer, proxy_user, user_agent;
  bool has_other_auth = false;
  std::vector<std::string> cookies;
  std::string referer, range;
  bool compressed = false;

  CurlSettings settings;
  std::vector<std::string> notes;
  CurlFiles files;

  void note(std::string text) { notes.push_back(std::move(text)); }
};

// As in curl_command.hpp, with a say in what files are read.
Expected<CurlCommand> read_curl_text(std::string_view text, Shell shell, CurlFiles files);

// The request that curl would send. Errors: options that contradict each other, a URL that is none.
Expected<CurlCommand> make_curl_command(CurlAsked asked);

}  // namespace thrum::targets
