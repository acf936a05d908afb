#include "http/http2_head.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "http/syntax.hpp"

namespace thrum::http {
namespace {

class HeadBuilder {
 public:
  void add(std::string_view name, std::string_view value) {
    Http2Head::Field f;
    f.name_at = end();
    f.name_size = static_cast<std::uint32_t>(name.size());
    head_.text += lower(name);
    f.value_at = end();
    f.value_size = static_cast<std::uint32_t>(value.size());
    head_.text += value;
    head_.fields.push_back(f);
  }
  Http2Head take() && { return std::move(head_); }

 private:
  std::uint32_t end() const { return static_cast<std::uint32_t>(head_.text.size()); }
  Http2Head head_;
};

std::string_view cut(std::string_view& from, std::string_view at) {
  const std::size_t place = std::min(from.find(at), from.size());
  const std::string_view part = from.substr(0, place);
  from.remove_prefix(std::min(place + at.size(), from.size()));
  return part;
}

bool is_of_connection(std::string_view name, std::string_view value) {
  static constexpr std::array<std::string_view, 6> kNames{"connection", "keep-alive",        "proxy-connection",
                                                          "upgrade",    "transfer-encoding", "http2-settings"};
  for (const std::string_view n : kNames)
    if (equal_ignoring_case(name, n)) return true;
  return equal_ignoring_case(name, "te") && !equal_ignoring_case(value, "trailers");
}

}  // namespace

Http2Head to_http2(std::string_view head, std::string_view scheme) {
  const std::string_view method = cut(head, " ");
  const std::string_view target = cut(head, " ");
  cut(head, "\r\n");
  struct Line {
    std::string_view name, value;
  };
  std::vector<Line> lines;
  std::string_view authority;
  while (!head.empty()) {
    std::string_view line = cut(head, "\r\n");
    const std::string_view name = cut(line, ": ");
    if (equal_ignoring_case(name, kHttp2SequenceName)) continue;
    if (equal_ignoring_case(name, "host"))
      authority = line;
    else if (!is_of_connection(name, line))
      lines.push_back({name, line});
  }
  HeadBuilder built;
  built.add(":method", method);
  if (method != "CONNECT") {  // which has no more than an authority (RFC 9113 section 8.5)
    built.add(":path", target);
    built.add(":scheme", scheme);
  }
  built.add(":authority", authority);
  for (const Line& line : lines) built.add(line.name, line.value);
  return std::move(built).take();
}

}  // namespace thrum::http
