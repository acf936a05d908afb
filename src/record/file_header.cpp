#include "record/file_header.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>

#include "base/duration.hpp"
#include "base/timestamp.hpp"

namespace thrum {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, kLimits> kLimitNames = {"none",    "workers", "connections", "descriptors", "local_ports",
                                                               "targets", "cpu",     "target",      "network"};

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Expected<Json> parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return failure("not a JSON object");
  return json;
}

// The value of a key into a field of its type; anything else leaves the field as it is.
void read(const Json& json, const char* key, std::string& into) {
  if (const auto found = json.find(key); found != json.end() && found->is_string()) into = found->get<std::string>();
}
void read(const Json& json, const char* key, std::uint64_t& into) {
  if (const auto found = json.find(key); found != json.end() && found->is_number_integer()) into = found->get<std::uint64_t>();
}
void read(const Json& json, const char* key, Nanos& into) {
  if (const auto found = json.find(key); found != json.end() && found->is_number_integer()) into = Nanos(found->get<std::int64_t>());
}
void read(const Json& json, const char* key, double& into) {
  if (const auto found = json.find(key); found != json.end() && found->is_number()) into = found->get<double>();
}
void read(const Json& json, const char* key, bool& into) {
  if (const auto found = json.find(key); found != json.end() && found->is_boolean()) into = found->get<bool>();
}
void read(const Json& json, const char* key, Timestamp& into) {
  std::string text;
  read(json, key, text);
  if (const auto time = parse_rfc3339(text)) into = *time;
}

void add(const TargetMix& mix, Json& json) {
  json["order"] = mix.order;
  Json& targets = json["targets"] = Json::array();
  for (const TargetPart& part : mix.parts) {
    Json& each = targets.emplace_back(Json::object());
    if (!part.name.empty()) each["name"] = part.name;
    each["method"] = part.method;
    each["url"] = part.url;
    each["weight"] = part.weight;
  }
  if (mix.others == 0) return;
  json["other_targets"] = mix.others;
  json["other_weight"] = mix.others_weight;
}

void read(const Json& json, TargetMix& into) {
  read(json, "order", into.order);
  read(json, "other_targets", into.others);
  read(json, "other_weight", into.others_weight);
  const auto targets = json.find("targets");
  if (into.order.empty() || targets == json.end() || !targets->is_array()) return;
  for (const Json& each : *targets) {
    if (!each.is_object() || into.parts.size() == TargetMix::kMostParts) continue;
    TargetPart& part = into.parts.emplace_back();
    read(each, "name", part.name);
    read(each, "method", part.method);
    read(each, "url", part.url);
    read(each, "weight", part.weight);
  }
}

}  // namespace

std::string to_json(const FileHeader& h) {
  Json options = Json::array();
  for (const auto& [name, value] : h.options) options.push_back({name, value});
  Json json = {{"tool", h.tool},   {"version", h.version},
               {"run", h.run_id},  {"attack", h.attack},
               {"host", h.host},   {"start", format_rfc3339(h.start)},
               {"shape", h.shape}, {"rate", h.asked_rate},
               {"seed", h.seed},   {"duration", h.duration.count()}};
  if (!h.source.empty()) json["source"] = h.source;
  if (h.hits != kUnlimited) json["hits"] = h.hits;
  json["latency"] = h.latency_clock == LatencyClock::response ? "response" : "service";
  json["success"] = h.success;
  json["options"] = std::move(options);
  if (!h.mix.order.empty()) add(h.mix, json);
  return dump(json);
}

Expected<FileHeader> file_header_from_json(std::string_view text) {
  const auto json = parse(text);
  if (!json) return std::unexpected(json.error());
  FileHeader h;
  read(*json, "tool", h.tool);
  read(*json, "version", h.version);
  read(*json, "run", h.run_id);
  read(*json, "attack", h.attack);
  read(*json, "host", h.host);
  read(*json, "source", h.source);
  read(*json, "start", h.start);
  read(*json, "shape", h.shape);
  read(*json, "rate", h.asked_rate);
  read(*json, "seed", h.seed);
  read(*json, "duration", h.duration);
  read(*json, "hits", h.hits);
  read(*json, "success", h.success);
  std::string clock;
  read(*json, "latency", clock);
  h.latency_clock = clock == "response" ? LatencyClock::response : LatencyClock::service;
  if (const auto options = json->find("options"); options != json->end() && options->is_array())
    for (const Json& o : *options)
      if (o.is_array() && o.size() == 2 && o[0].is_string() && o[1].is_string())
        h.options.emplace_back(o[0].get<std::string>(), o[1].get<std::string>());
  read(*json, h.mix);
  return h;
}

std::string to_json(const Event& e) { return dump({{"at", e.at.count()}, {"kind", e.kind}, {"detail", e.detail}}); }

Expected<Event> event_from_json(std::string_view text) {
  const auto json = parse(text);
  if (!json) return std::unexpected(json.error());
  Event e;
  read(*json, "at", e.at);
  read(*json, "kind", e.kind);
  read(*json, "detail", e.detail);
  return e;
}

namespace {

Json traffic_json(const Traffic& t) {
  Json json = {{"bytes_in", t.bytes_in},
               {"bytes_out", t.bytes_out},
               {"connections", t.connections},
               {"segments_in", t.segments_in},
               {"segments_out", t.segments_out},
               {"retransmitted", t.retransmitted},
               {"retransmitted_opening", t.retransmitted_opening},
               {"out_of_order", t.out_of_order}};
  if (t.rtt != Result::kNone) json["rtt"] = t.rtt.count();
  if (t.least_rtt != Result::kNone) json["least_rtt"] = t.least_rtt.count();
  return json;
}

void read_traffic(const Json& json, Traffic& t) {
  read(json, "bytes_in", t.bytes_in);
  read(json, "bytes_out", t.bytes_out);
  read(json, "connections", t.connections);
  read(json, "segments_in", t.segments_in);
  read(json, "segments_out", t.segments_out);
  read(json, "retransmitted", t.retransmitted);
  read(json, "retransmitted_opening", t.retransmitted_opening);
  read(json, "out_of_order", t.out_of_order);
  for (const auto& [key, time] : {std::pair("rtt", &t.rtt), std::pair("least_rtt", &t.least_rtt)}) {
    Nanos said = Result::kNone;
    read(json, key, said);
    if (said >= Nanos(0)) *time = said;
  }
}

Json interference_json(const Interference& i) {
  return {{"quota", i.quota},         {"periods", i.periods},
          {"throttled", i.throttled}, {"throttled_time", i.throttled_time.count()},
          {"stolen", i.stolen},       {"listen_overflows", i.listen_overflows}};
}

void read_interference(const Json& json, Interference& i) {
  read(json, "quota", i.quota);
  read(json, "periods", i.periods);
  read(json, "throttled", i.throttled);
  read(json, "throttled_time", i.throttled_time);
  read(json, "stolen", i.stolen);
  read(json, "listen_overflows", i.listen_overflows);
}

}  // namespace

std::string to_json(const ClosingBooks& c) {
  const Summary& s = c.summary;
  const Books& b = s.books;
  const Connections& n = s.connections;
  Json json = {
      {"results", c.results},
      {"books", {{"scheduled", b.scheduled}, {"sent", b.sent}, {"missed", b.missed}, {"ok", b.ok}, {"failed", b.failed}, {"cut", b.cut}}},
      {"connections",
       {{"opened", n.opened},
        {"failed", n.failed},
        {"reused", n.reused},
        {"peak", n.peak},
        {"stale_retries", n.stale_retries},
        {"preconnected", n.preconnected}}},
      {"warmup", {{"length", s.warmup.length.count()}, {"sent", s.warmup.sent}, {"failed", s.warmup.failed}}},
      {"protocols", {{"http1", s.protocols.http1}, {"http2", s.protocols.http2}}},
      {"proxies", s.proxies},
      {"limit", kLimitNames[std::min<std::size_t>(static_cast<std::size_t>(s.limit), kLimits - 1)]},
      {"limit_value", s.limit_value},
      {"limit_needed", s.limit_needed},
      {"started", format_rfc3339(s.started)},
      {"elapsed", s.elapsed.count()},
      {"sending", s.sending.count()},
      {"shards", s.shards},
      {"busiest_shard", s.busiest_shard},
      {"waited_for_core", s.waited_for_core},
      {"redirects", s.redirects},
      {"truncated_captures", s.truncated_captures},
      {"stopped", s.stopped},
      {"was_cut", s.was_cut},
      {"spooled_bytes", c.spooled_bytes}};
  if (s.io != Io::automatic) json["io"] = name_of(s.io);
  json["traffic"] = traffic_json(s.traffic);
  json["machine"] = interference_json(s.interference);
  for (const AddressCount& a : s.addresses) json["addresses"].push_back({{"address", a.address}, {"connections", a.connections}});
  return dump(json);
}

Expected<ClosingBooks> closing_books_from_json(std::string_view text) {
  const auto json = parse(text);
  if (!json) return std::unexpected(json.error());
  ClosingBooks c;
  Summary& s = c.summary;
  read(*json, "results", c.results);
  read(*json, "spooled_bytes", c.spooled_bytes);
  if (const auto b = json->find("books"); b != json->end() && b->is_object()) {
    read(*b, "scheduled", s.books.scheduled);
    read(*b, "sent", s.books.sent);
    read(*b, "missed", s.books.missed);
    read(*b, "ok", s.books.ok);
    read(*b, "failed", s.books.failed);
    read(*b, "cut", s.books.cut);
  }
  if (const auto n = json->find("connections"); n != json->end() && n->is_object()) {
    read(*n, "opened", s.connections.opened);
    read(*n, "failed", s.connections.failed);
    read(*n, "reused", s.connections.reused);
    read(*n, "peak", s.connections.peak);
    read(*n, "stale_retries", s.connections.stale_retries);
    read(*n, "preconnected", s.connections.preconnected);
  }
  if (const auto w = json->find("warmup"); w != json->end() && w->is_object()) {
    read(*w, "length", s.warmup.length);
    read(*w, "sent", s.warmup.sent);
    read(*w, "failed", s.warmup.failed);
  }
  if (const auto list = json->find("addresses"); list != json->end() && list->is_array())
    for (const Json& each : *list) {
      if (!each.is_object()) continue;
      read(each, "address", s.addresses.emplace_back().address);
      read(each, "connections", s.addresses.back().connections);
    }
  if (const auto p = json->find("protocols"); p != json->end() && p->is_object()) {
    read(*p, "http1", s.protocols.http1);
    read(*p, "http2", s.protocols.http2);
  }
  if (const auto t = json->find("traffic"); t != json->end() && t->is_object()) read_traffic(*t, s.traffic);
  if (const auto m = json->find("machine"); m != json->end() && m->is_object()) read_interference(*m, s.interference);
  std::string limit;
  read(*json, "limit", limit);
  if (const auto found = std::find(kLimitNames.begin(), kLimitNames.end(), limit); found != kLimitNames.end())
    s.limit = static_cast<Limit>(found - kLimitNames.begin());
  std::uint64_t shards = 0;
  read(*json, "proxies", s.proxies);
  read(*json, "limit_value", s.limit_value);
  read(*json, "limit_needed", s.limit_needed);
  read(*json, "started", s.started);
  read(*json, "elapsed", s.elapsed);
  read(*json, "sending", s.sending);
  read(*json, "shards", shards);
  s.shards = static_cast<std::uint32_t>(shards);
  std::string io;
  read(*json, "io", io);
  if (const auto known = parse_io(io)) s.io = *known;
  read(*json, "busiest_shard", s.busiest_shard);
  read(*json, "waited_for_core", s.waited_for_core);
  read(*json, "redirects", s.redirects);
  read(*json, "truncated_captures", s.truncated_captures);
  read(*json, "stopped", s.stopped);
  read(*json, "was_cut", s.was_cut);
  return c;
}

std::string new_run_id() {
  std::array<std::uint64_t, 2> bits{};
  if (::getrandom(bits.data(), sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    std::random_device device;
    for (auto& b : bits) b = static_cast<std::uint64_t>(device()) << 32 | device();
  }
  return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

}  // namespace thrum
