// Any text: gates that can be judged and written, or one line that says why not.
#include <cstdint>
#include <string>
#include <vector>

#include "report/gates.hpp"
#include "require.hpp"

using thrum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> texts{std::string(reinterpret_cast<const char*>(data), size)};
  auto gates = thrum::report::Gates::parse(texts);
  if (!gates) {
    for (const char c : gates.error().text) require(static_cast<unsigned char>(c) >= 0x20);
    return 0;
  }
  thrum::Result result;
  result.url = "http://h/api/a?b=1";
  result.code = 200;
  result.latency = thrum::Nanos(5'000'000);
  thrum::report::Input input;
  gates->add(std::span(&result, 1), {});
  input.total.add(std::span(&result, 1));
  input.total.close();
  input.runs.emplace_back().metrics = input.total;
  const auto judged = gates->judge(input);
  require(!judged.empty());
  std::string json;
  thrum::report::JsonWriter w(json);
  thrum::report::gate_fields(judged, w);
  require(!thrum::report::junit(judged, {}, "host").empty() && !thrum::report::gate_rows(judged).empty());
  return 0;
}
