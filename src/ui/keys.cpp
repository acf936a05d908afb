#include "ui/keys.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace thrum::ui {
namespace {

constexpr std::size_t kLongestSequence = 64;
constexpr std::string_view kPasteEnd = "\x1b[201~";

bool is_final(char c) { return c >= '@' && c <= '~'; }

void of_tilde(std::string_view parameters, std::vector<Key>& keys) {
  using Kind = Key::Kind;
  // "5;2" is the key with a modifier.
  const std::string_view number = parameters.substr(0, parameters.find(';'));
  if (number == "5") keys.push_back({Kind::page_up});
  if (number == "6") keys.push_back({Kind::page_down});
  if (number == "1" || number == "7") keys.push_back({Kind::home});
  if (number == "4" || number == "8") keys.push_back({Kind::end});
  if (number == "3") keys.push_back({Kind::del});
  if (number == "11") keys.push_back({Kind::help});
}

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
    case 'P':
      return keys.push_back({Kind::help});
    case 'Z':
      return keys.push_back({Kind::back_tab});
    case '~':
      return of_tilde(parameters, keys);
    case 'M':  // of the mouse: only its wheel means something
      if (parameters.starts_with("<64;")) keys.push_back({Kind::up});
      if (parameters.starts_with("<65;")) keys.push_back({Kind::down});
      return;
    default:
      return;
  }
}

}  // namespace

// An escape is the key, or begins a sequence.
std::size_t KeyReader::take_sequence(std::string_view b, std::vector<Key>& keys) {
  if (b.size() == 1) return 0;
  if (b[1] == 'O') {
    if (b.size() == 2) return 0;
    of_final(b[2], {}, keys);
    return 3;
  }
  if (b[1] != '[') {
    keys.push_back({Key::Kind::escape});
    return 1;
  }
  // The Linux console has F1 so.
  if (b.starts_with("\x1b[[")) {
    if (b.size() == 3) return 0;
    if (b[3] == 'A') keys.push_back({Key::Kind::help});
    return 4;
  }
  const std::size_t end = static_cast<std::size_t>(std::find_if(b.begin() + 2, b.end(), is_final) - b.begin());
  if (end >= kLongestSequence) {
    is_skipping_ = true;
    return kLongestSequence;
  }
  if (end == b.size()) return 0;
  const std::string_view parameters = b.substr(2, end - 2);
  if (b[end] == '~' && parameters == "200")
    is_pasting_ = true;
  else
    of_final(b[end], parameters, keys);
  return end + 1;
}

std::size_t KeyReader::take_paste(std::string_view b, std::vector<Key>& keys) {
  const auto keep = [this](std::string_view part) { pasted_ += part.substr(0, kLongestPaste - pasted_.size()); };
  if (const std::size_t end = b.find(kPasteEnd); end != b.npos) {
    keep(b.substr(0, end));
    end_paste(keys);
    return end + kPasteEnd.size();
  }
  // What may be the beginning of its end stays.
  std::size_t rest = std::min(b.size(), kPasteEnd.size() - 1);
  while (rest > 0 && !kPasteEnd.starts_with(b.substr(b.size() - rest))) --rest;
  keep(b.substr(0, b.size() - rest));
  return b.size() - rest;
}

void KeyReader::end_paste(std::vector<Key>& keys) {
  is_pasting_ = false;
  // Terminals send lines as if enter had been pressed.
  std::string text;
  text.reserve(pasted_.size());
  for (std::size_t i = 0; i < pasted_.size(); ++i) {
    if (pasted_[i] != '\r')
      text += pasted_[i];
    else if (i + 1 == pasted_.size() || pasted_[i + 1] != '\n')
      text += '\n';
  }
  pasted_ = {};
  keys.push_back({Key::Kind::paste, 0, std::move(text)});
}

std::size_t KeyReader::take(std::string_view b, std::vector<Key>& keys) {
  using Kind = Key::Kind;
  const char c = b[0];
  if (is_pasting_) return take_paste(b, keys);
  if (is_skipping_) {
    is_skipping_ = !is_final(c);
    return 1;
  }
  if (c == '\x1b') return take_sequence(b, keys);
  if (c == '\t') return keys.push_back({Kind::tab}), 1;
  if (c == '\r' || c == '\n') return keys.push_back({Kind::enter}), 1;
  if (c == '\x7f' || c == '\b') return keys.push_back({Kind::backspace}), 1;
  if (c == '\x03') return keys.push_back({Kind::interrupt}), 1;
  if (c >= '\x01' && c <= '\x1a') return keys.push_back({Kind::control, static_cast<char32_t>(c - 1 + 'a')}), 1;
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
  pauses_ = 0;
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
  if (is_pasting_) {
    if (++pauses_ < kMostPauses) return;
    pasted_ += bytes_.substr(0, kLongestPaste - pasted_.size());
    bytes_.clear();
    return end_paste(keys);
  }
  is_skipping_ = false;
  if (!bytes_.empty() && bytes_[0] == '\x1b') keys.push_back({Key::Kind::escape});
  bytes_.clear();
}

}  // namespace thrum::ui
