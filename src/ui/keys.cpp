#include "ui/keys.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace thrum::ui {
namespace {

constexpr std::size_t kLongestSequence = 64;

void of_final(char final, std::string_view parameters, std::vector<Key>& keys) {
  using Kind = Key::Kind;
  switch (final) {
    case 'A':
      return keys.push_back({Kind::up});
    case 'B':
      return keys.push_back({Kind::down});
    case 'C':
      return keys.push_back({Kind::right});
    case 'D':
      return keys.push_back({Kind::left});
    case 'H':
      return keys.push_back({Kind::home});
    case 'F':
      return keys.push_back({Kind::end});
    case 'Z':
      return keys.push_back({Kind::back_tab});
    case '~':
      if (parameters.starts_with('5')) keys.push_back({Kind::page_up});
      if (parameters.starts_with('6')) keys.push_back({Kind::page_down});
      if (parameters == "1" || parameters == "7") keys.push_back({Kind::home});
      if (parameters == "4" || parameters == "8") keys.push_back({Kind::end});
      return;
    case 'M':  // of the mouse: only its wheel means something
      if (parameters.starts_with("<64;")) keys.push_back({Kind::up});
      if (parameters.starts_with("<65;")) keys.push_back({Kind::down});
      return;
    default:
      return;
  }
}

}  // namespace

std::size_t KeyReader::take(std::string_view b, std::vector<Key>& keys) {
  using Kind = Key::Kind;
  const char c = b[0];
  if (c == '\x1b') {
    if (b.size() == 1) return 0;
    if (b[1] == 'O') {
      if (b.size() == 2) return 0;
      of_final(b[2], {}, keys);
      return 3;
    }
    if (b[1] != '[') {
      keys.push_back({Kind::escape});
      return 1;
    }
    const auto is_final = [](char x) { return x >= '@' && x <= '~'; };
    const auto* const end = std::find_if(b.begin() + 2, b.end(), is_final);
    if (end == b.end()) return b.size() > kLongestSequence ? b.size() : 0;
    of_final(*end, {b.begin() + 2, end}, keys);
    return static_cast<std::size_t>(end - b.begin()) + 1;
  }
  if (c == '\t') return keys.push_back({Kind::tab}), 1;
  if (c == '\r' || c == '\n') return keys.push_back({Kind::enter}), 1;
  if (c == '\x7f' || c == '\b') return keys.push_back({Kind::backspace}), 1;
  if (c == '\x03') return keys.push_back({Kind::interrupt}), 1;
  if (static_cast<unsigned char>(c) < 0x20) return 1;
  std::uint32_t point = 0;
  const std::size_t length = utf8_length(b, point);
  if (length == 0) {
    const bool may_get_whole = static_cast<unsigned char>(c) >= 0xc2 && b.size() < 4 &&
                               std::all_of(b.begin() + 1, b.end(), [](char x) { return (static_cast<unsigned char>(x) & 0xc0) == 0x80; });
    return may_get_whole ? 0 : 1;
  }
  keys.push_back({Kind::text, static_cast<char32_t>(point)});
  return length;
}

void KeyReader::feed(std::string_view bytes, std::vector<Key>& keys) {
  bytes_ += bytes;
  std::size_t done = 0;
  while (done < bytes_.size()) {
    const std::size_t taken = take(std::string_view(bytes_).substr(done), keys);
    if (taken == 0) break;
    done += taken;
  }
  bytes_.erase(0, done);
}

void KeyReader::pause(std::vector<Key>& keys) {
  if (!bytes_.empty() && bytes_[0] == '\x1b') keys.push_back({Key::Kind::escape});
  bytes_.clear();
}

}  // namespace thrum::ui
