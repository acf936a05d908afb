#include "script.hpp"

#include <strings.h>

#include <algorithm>

namespace thrum::support {
namespace {

bool same_name(std::string_view a, std::string_view b) { return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0; }

// Calls f(name, value) for each header line.
template <class F>
void for_each_header(std::string_view raw, F f) {
  std::size_t at = raw.find("\r\n");
  while (at != raw.npos) {
    const std::size_t from = at + 2, to = raw.find("\r\n", from);
    if (to == raw.npos || to == from) return;
    const std::string_view line = raw.substr(from, to - from);
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    while (value.starts_with(' ')) value.remove_prefix(1);
    f(line.substr(0, colon), value);
    at = to;
  }
}

}  // namespace

std::string Seen::method() const { return raw.substr(0, raw.find(' ')); }

std::string Seen::target() const {
  const std::size_t from = raw.find(' ') + 1;
  return raw.substr(from, raw.find(' ', from) - from);
}

std::string Seen::header(std::string_view name) const {
  std::string found;
  bool is_found = false;
  for_each_header(raw, [&](std::string_view n, std::string_view v) {
    if (!is_found && same_name(n, name)) found = v;
    is_found = is_found || same_name(n, name);
  });
  return found;
}

std::size_t Seen::count_header(std::string_view name) const {
  std::size_t count = 0;
  for_each_header(raw, [&](std::string_view n, std::string_view) { count += same_name(n, name) ? 1 : 0; });
  return count;
}

std::string Seen::body() const { return raw.substr(std::min(raw.find("\r\n\r\n") + 4, raw.size())); }

std::string response(int status, std::string_view body, std::string_view headers) {
  std::string text = "HTTP/1.1 " + std::to_string(status) + " Word\r\n";
  text += headers;
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  return text.append(body);
}

}  // namespace thrum::support
