// Any Location, from any target: what follows is one well-formed request, to a URL that can be read again, and credentials never
// leave their host. Input: a status' last digit, the target's URL, a line; then one Location a line, each followed in turn.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "http/redirect.hpp"
#include "require.hpp"
#include "text_input.hpp"

using thrum::fuzz::require;

namespace {

using thrum::http::PreparedRequest;

void check(const PreparedRequest& request, bool may_have_secret) {
  const std::string& head = request.head;
  require(head.ends_with("\r\nX-Thrum-Seq: "));
  require(head.starts_with(request.method + " " + request.url.target + " HTTP/1.1\r\nHost: "));
  int hosts = 0, lengths = 0, referers = 0;
  std::string_view rest(head);
  for (std::size_t end = rest.find("\r\n"); end != rest.npos; end = rest.find("\r\n")) {
    const std::string_view line = rest.substr(0, end), name = line.substr(0, line.find(':'));
    for (const char c : line) require((static_cast<unsigned char>(c) >= 0x20 || c == '\t') && c != 0x7f);
    hosts += thrum::equal_ignoring_case(name, "Host");
    lengths += thrum::equal_ignoring_case(name, "Content-Length");
    referers += thrum::equal_ignoring_case(name, "Referer");
    rest.remove_prefix(end + 2);
  }
  require(hosts == 1 && referers <= 1 && lengths == (request.body_bytes().empty() ? 0 : 1));
  require(may_have_secret || head.find("s3cret") == head.npos);
  require(request.url.target.find_first_of(" \r\n") == std::string::npos && request.url.target.starts_with('/'));
  const auto again = thrum::http::parse_url(request.url_text);
  require(again && again->target == request.url.target && again->port == request.url.port);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr int kStatuses[] = {301, 302, 303, 307, 308};
  const int status = kStatuses[static_cast<unsigned char>(text.front()) % 5];
  text.remove_prefix(1);
  thrum::Target target;
  target.method = "POST";
  target.url = take_line(text);
  target.headers = {{"Authorization", "s3cret"}, {"Content-Type", "a/b"}};
  target.body = std::make_shared<const std::string>("body");
  auto request = thrum::http::prepare(target, {});
  if (!request) return 0;
  const std::string host = thrum::lower(request->url.host);
  bool left = false, told = target.url.find("s3cret") != std::string::npos;  // by the input itself
  for (int hop = 0; hop < 10 && !text.empty(); ++hop) {
    const std::string_view location = take_line(text);
    if (location.empty()) continue;
    auto next = thrum::http::follow(*request, status, location);
    if (!next) {
      require(next.error().text.find_first_of("\r\n\x1b") == std::string::npos);
      return 0;
    }
    left = left || thrum::lower(next->url.host) != host;
    told = told || location.find("s3cret") != location.npos;
    check(*next, !left || told);
    request = std::move(next);
  }
  return 0;
}
