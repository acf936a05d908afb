#include "report/run_requests.hpp"

#include "report/json_text.hpp"

namespace thrum::report {

std::string run_requests_ndjson(const std::deque<RecentResult>& requests) {
  std::string out;
  const auto ms = [](Nanos t) { return static_cast<double>(t.count()) / 1e6; };
  for (const RecentResult& r : requests) {
    JsonWriter json(out);
    json.begin_object();
    json.key("seq").unsigned_integer(r.seq);
    json.key("ended_s").number(static_cast<double>(r.at.count()) / 1e9);
    json.key("status").unsigned_integer(r.status);
    json.key("ok").boolean(r.is_good);
    json.key("latency_ms").number(ms(r.latency));
    json.key("service_ms").number(ms(r.service));
    json.key("connecting_ms").number(ms(r.connecting));
    json.key("first_byte_ms").number(ms(r.first_byte));
    json.key("bytes").unsigned_integer(r.bytes);
    if (!r.error.empty()) json.key("error").string(r.error);
    if (r.kept) {
      json.key("headers").begin_array();
      for (const auto& [name, value] : r.kept->headers) json.begin_array().string(name).string(value).end_array();
      json.end_array();
      json.key("body").string(r.kept->body);
    }
    json.end_object();
    out += '\n';
  }
  return out;
}

}  // namespace thrum::report
