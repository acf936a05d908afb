// Any bytes as a list in the json format: as targets_http_fuzz.cpp; and a second reader of JSON must not see another target.
#include <nlohmann/json.hpp>

#include "http/syntax.hpp"
#include "http/url.hpp"
#include "targets_fuzz.hpp"

namespace {

using nlohmann::json;

bool is_left_out(const json& object, const char* key) { return !object.contains(key) || object[key].is_null(); }

// One object without a field that could be wrong: its method and URL are what any reader finds.
bool is_plain_target(const json& object) {
  return object.is_object() && object.value("method", json()).is_string() && object.value("url", json()).is_string() &&
         is_left_out(object, "header") && is_left_out(object, "body") && is_left_out(object, "name") && is_left_out(object, "weight");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace thrum;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto read = fuzz::read_any_way(text, TargetFormat::json);
  // The other reader stops at a NUL, and follows brackets to any depth.
  if (text.find('\0') != text.npos || size > 1000) return 0;
  std::vector<std::string> keys;
  const auto note_key = [&](int depth, json::parse_event_t event, json& key) {
    if (event == json::parse_event_t::key && depth == 1) keys.push_back(key);
    return true;
  };
  const json document = json::parse(text, note_key, false);
  if (document.is_discarded() || !is_plain_target(document) || keys.size() != document.size()) return 0;
  const std::string method = document["method"], url = document["url"];
  if (!http::is_token(method) || !http::parse_url(url)) return 0;
  fuzz::require(read && read->size() == 1);
  fuzz::require((*read)[0].method == method && (*read)[0].url == url);
  return 0;
}
