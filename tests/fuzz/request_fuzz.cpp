// Any target: what is rendered must be one request with the framing that was meant, whatever the user's bytes.
// Input: lines; the first is the method, the second the URL, then headers "name:value" (a leading '+': for every target),
// then, after an empty line, the body.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "http/request.hpp"
#include "text_input.hpp"

using thrum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  thrum::Target target;
  thrum::http::RequestDefaults defaults;
  target.method = take_line(text);
  target.url = take_line(text);
  for (std::string_view line = take_line(text); !line.empty(); line = take_line(text)) {
    const bool everywhere = line.starts_with('+');
    if (everywhere) line.remove_prefix(1);
    const std::size_t colon = std::min(line.find(':'), line.size());
    (everywhere ? defaults.headers : target.headers).emplace_back(line.substr(0, colon), line.substr(std::min(colon + 1, line.size())));
  }
  if (!text.empty()) target.body = std::make_shared<const std::string>(text);
  const auto request = thrum::http::prepare(target, defaults);
  if (!request) {
    require(request.error().text.find_first_of("\r\n") == std::string::npos);
    return 0;
  }

  std::string wire(request->head.size() + thrum::http::kSequenceRoom, '\0');
  wire.resize(thrum::http::render_head(*request, UINT64_MAX, wire.data()));
  require(wire.ends_with("\r\nX-Thrum-Seq: 18446744073709551615\r\n\r\n"));
  int hosts = 0, lengths = 0;
  std::string_view head(wire);
  for (std::size_t line_number = 0; !head.empty(); ++line_number) {
    const std::size_t end = head.find("\r\n");
    require(end != std::string_view::npos);
    const std::string_view line = head.substr(0, end);
    require(line.find_first_of("\r\n") == std::string_view::npos && (!line.empty() || head.size() == 2));
    head.remove_prefix(end + 2);
    if (line_number == 0 || line.empty()) continue;
    const std::string_view name = line.substr(0, line.find(':'));
    hosts += thrum::equal_ignoring_case(name, "Host");
    lengths += thrum::equal_ignoring_case(name, "Content-Length");
    require(!thrum::equal_ignoring_case(name, "Transfer-Encoding"));
  }
  require(hosts == 1 && lengths <= 1 && (lengths == 1 || request->body_bytes().empty()));
  return 0;
}
