#include "http/connect_to.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace thrum::http {
namespace {

constexpr std::size_t kLongestHost = 255;

std::optional<std::uint16_t> port_of(std::string_view piece) {
  std::uint16_t port = 0;
  if (piece.empty()) return port;
  const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), port);
  if (error != std::errc() || end != piece.data() + piece.size() || port == 0) return std::nullopt;
  return port;
}

bool is_host(std::string_view piece) {
  return piece.size() <= kLongestHost && piece.find_first_of(" \t\r\n[]/@") == piece.npos && piece.find('\0') == piece.npos;
}

std::optional<ConnectTo> parse_entry(std::string_view text) {
  const auto pieces = pieces_between_colons(text);
  if (!pieces || pieces->size() != 4) return std::nullopt;
  const std::string_view host = (*pieces)[0], to_host = (*pieces)[2];
  const auto port = port_of((*pieces)[1]), to_port = port_of((*pieces)[3]);
  if (!port || !to_port || !is_host(host) || !is_host(to_host)) return std::nullopt;
  return ConnectTo{std::string(host), *port, std::string(to_host), *to_port};
}

}  // namespace

std::optional<std::vector<std::string_view>> pieces_between_colons(std::string_view text) {
  std::vector<std::string_view> pieces;
  for (;;) {
    std::size_t end = text.find(':');
    std::string_view piece = text.substr(0, end);
    if (text.starts_with('[')) {
      const std::size_t close = text.find(']');
      if (close == text.npos) return std::nullopt;
      piece = text.substr(1, close - 1);
      text.remove_prefix(close + 1);
      if (piece.find(':') == piece.npos || (!text.empty() && text.front() != ':')) return std::nullopt;
      end = text.empty() ? text.npos : 0;
    }
    pieces.push_back(piece);
    if (end == text.npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

Expected<std::vector<ConnectTo>> parse_connect_to(std::string_view text) {
  std::vector<ConnectTo> entries;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = trim(text.substr(begin, comma - begin));
    auto entry = parse_entry(one);
    if (!entry)
      return usage_error("\"" + printable_prefix(one, 80) +
                         "\" is not HOST:PORT:HOST:PORT, like shop.test:443:10.0.0.7:8443 or shop.test:443:[::1]:8443");
    entries.push_back(std::move(*entry));
    begin = comma + 1;
  }
  return entries;
}

}  // namespace thrum::http
