#include "targets/header_fault.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "http/syntax.hpp"

namespace thrum::targets {
namespace {

constexpr std::size_t kShown = 60;

// The character at `i`, whole if it is one of UTF-8.
std::string shown_character(std::string_view s, std::size_t i) {
  std::size_t length = 1;
  while (i + length < s.size() && length < 4 && (static_cast<unsigned char>(s[i + length]) & 0xc0) == 0x80) ++length;
  return printable(s.substr(i, length));
}

}  // namespace

std::string header_fault(std::string_view name, std::string_view value) {
  if (name.empty()) return "a header without a name";
  if (const auto bad = std::ranges::find_if_not(name, http::is_token_char); bad != name.end())
    return fmt::format("header name \"{}\" must not contain \"{}\"", printable_prefix(name, kShown),
                       shown_character(name, static_cast<std::size_t>(bad - name.begin())));
  if (const auto bad = std::ranges::find_if(value, http::is_control); bad != value.end())
    return fmt::format("the value of header \"{}\" must not contain \"{}\"", printable_prefix(name, kShown),
                       printable(std::string_view(&*bad, 1)));
  return {};
}

}  // namespace thrum::targets
