// What to expect, and bodies held against it: the first line says what ("json .a=1"), the second a Content-Encoding, the rest is a
// body. Neither may do harm; what is accepted must be accepted again as it stands.
#include <cstdint>

#include "http/response_check.hpp"
#include "require.hpp"

using thrum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto line = [&] {
    const std::size_t end = input.find('\n');
    const std::string_view taken = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
    return taken;
  };
  const std::string_view said = line(), coding = line();
  const std::size_t blank = said.find(' ');
  const std::string_view what = said.substr(0, blank), text = blank == std::string_view::npos ? "" : said.substr(blank + 1);
  thrum::Expectations expectations;
  const auto added = thrum::add_expectation(what, text, expectations);
  if (!added) {
    require(!added.error().text.empty() && added.error().text.find('\n') == std::string::npos);
    require(expectations.empty());
    return 0;
  }
  const auto made = thrum::http::Expectation::make(expectations);
  require(made && *made != nullptr);
  std::atomic<std::int64_t> in_flight{0};
  static thrum::http::CheckRoom room;
  {
    thrum::http::ResponseCheck check(in_flight);
    check.begin(**made, nullptr, true);
    check.on_header("Content-Encoding", coding);
    check.on_body({input.data(), input.size() / 2});
    check.on_body({input.data() + input.size() / 2, input.size() - input.size() / 2});
    const auto first = check.judge(200, input.size(), room);
    const auto second = check.judge(200, input.size(), room);
    require(first.broken == second.broken && !first.is_ours);
    check.sample_body(room);
  }
  require(in_flight.load() == 0);
  return 0;
}
