// JSON lines: the shortcut for vegeta's order of keys gives what the general way gives; where a strict parser reads a line, so do
// we, and agree; what was read can be written and read again.
#include <nlohmann/json.hpp>

#include "record/json_line.hpp"
#include "results_input.hpp"

using namespace thrum;

namespace {

std::string as_json(const Result& r) {
  std::string out;
  make_encoder(Encoding::json)->append(std::span(&r, 1), out);
  return out;
}

// A whole number where one must be (or nothing, or null).
bool number(const nlohmann::json& json, const char* key, std::uint64_t most) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() || (found->is_number_unsigned() && found->get<std::uint64_t>() <= most);
}

bool string(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() || found->is_string();
}

void compare(const nlohmann::json& json, const Result& r) {
  const auto value = [&](const char* key) { return json.contains(key) && !json[key].is_null() ? json[key].get<std::uint64_t>() : 0; };
  fuzz::require(r.seq == value("seq") && r.code == value("code") && r.bytes_in == value("bytes_in"));
  const auto text = [&](const char* key) {
    return json.contains(key) && !json[key].is_null() ? json[key].get<std::string>() : std::string();
  };
  fuzz::require(r.error == text("error") && r.url == text("url") && r.method == text("method") && r.attack == text("attack"));
}

void one_line(std::string_view line) {
  JsonLineParser parser, general;
  Scratch scratch, scratch2;
  Result r, r2;
  const bool read = parser.parse(line, r, scratch) == nullptr;
  // A blank in front of the first key is enough to leave the shortcut.
  const std::size_t brace = line.find('{');
  if (brace != std::string_view::npos) {
    const std::string spaced = std::string(line.substr(0, brace + 1)) + " " + std::string(line.substr(brace + 1));
    const bool read2 = general.parse(spaced, r2, scratch2) == nullptr;
    fuzz::require(read == read2);
    if (read) fuzz::require(as_json(r) == as_json(r2));
  }
  const auto json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_object()) return;
  for (const char* key : {"timestamp", "latency", "body", "headers", "lag", "first_byte", "dns", "connect", "tls", "outcome", "bytes_out",
                          "seen_status", "retries", "redirects", "redirecting"})
    if (json.contains(key) && !json[key].is_null()) return;  // whether these are right takes more than their JSON type
  const bool fits = number(json, "seq", ~std::uint64_t{0}) && number(json, "code", 0xffff) && number(json, "bytes_in", ~std::uint64_t{0}) &&
                    string(json, "error") && string(json, "url") && string(json, "method") && string(json, "attack");
  if (!fits) return;  // a key that comes twice may be wrong the first time
  if (read) compare(json, r);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzz::text(data, size);
  one_line(bytes.substr(0, bytes.find('\n')));
  const auto read = fuzz::read_results(bytes);
  if (read.count == 0) return 0;
  const auto again = fuzz::read_results(read.as_json);
  fuzz::require(again.count == read.count && !again.damaged);
  fuzz::require(fuzz::read_results(again.as_json).as_json == again.as_json);  // invalid UTF-8 is replaced the first time
  return 0;
}
