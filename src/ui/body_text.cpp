#include "ui/body_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/text.hpp"

namespace thrum::ui {
namespace {

constexpr Style kQuiet{Tone::quiet}, kStrong{Tone::strong};
constexpr std::size_t kMostLines = 20'000, kPerLine = 16;  // bytes of a line in hexadecimal
constexpr int kDeepest = 40;                               // deeper ones stand there, too

bool is_text(std::string_view s) {
  std::uint32_t point = 0;
  while (!s.empty()) {
    const std::size_t n = utf8_length(s, point);
    if (n == 0) return s.size() < 4 && (static_cast<unsigned char>(s.front()) & 0xc0) == 0xc0;  // cut in its last character
    if (point < ' ' && point != '\n' && point != '\r' && point != '\t' && point != 0x1b) return false;
    s.remove_prefix(n);
  }
  return true;
}

class Lines {
 public:
  bool is_full() const { return lines_.size() >= kMostLines; }
  void begin(int depth) {
    if (is_full()) return;
    lines_.emplace_back();
    if (depth > 0) add(std::string(2 * static_cast<std::size_t>(std::min(depth, kDeepest)), ' '));
  }
  void add(std::string_view text, Style style = {}) {
    if (text.empty()) return;
    if (lines_.empty()) lines_.emplace_back();
    lines_.back().spans.push_back({printable(text, true), style});
  }
  std::vector<PanelLine> take() { return std::move(lines_); }

 private:
  std::vector<PanelLine> lines_;
};

std::vector<PanelLine> plain(std::string_view s) {
  Lines out;
  while (!s.empty() && !out.is_full()) {
    const std::size_t end = s.find('\n');
    std::string_view line = s.substr(0, end);
    s.remove_prefix(end == s.npos ? s.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.begin(0);
    out.add(line);
  }
  return out.take();
}

std::vector<PanelLine> hexadecimal(std::string_view s) {
  Lines out;
  for (std::size_t at = 0; at < s.size() && !out.is_full(); at += kPerLine) {
    const std::string_view row = s.substr(at, kPerLine);
    std::string bytes, text;
    for (const char c : row) {
      bytes += fmt::format("{:02x} ", static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += c >= 0x20 && c < 0x7f ? c : '.';
    }
    out.begin(0);
    out.add(fmt::format("{:08x}  ", at), kQuiet);
    out.add(fmt::format("{:<{}} ", bytes, kPerLine * 3));
    out.add(text, kQuiet);
  }
  return out.take();
}

// Past the string that begins at `at`, with its quotes.
std::size_t end_of_string(std::string_view s, std::size_t at) {
  const char quote = s[at];
  for (++at; at < s.size(); ++at) {
    if (s[at] == '\\')
      ++at;
    else if (s[at] == quote)
      return at + 1;
  }
  return s.size();
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::size_t past_blanks(std::string_view s, std::size_t at) {
  while (at < s.size() && is_blank(s[at])) ++at;
  return at;
}

std::vector<PanelLine> json(std::string_view s) {
  Lines out;
  int depth = 0;
  for (std::size_t at = past_blanks(s, 0); at < s.size() && !out.is_full(); at = past_blanks(s, at)) {
    const char c = s[at];
    if (c == '{' || c == '[') {
      out.add({&c, 1}, kQuiet);
      const std::size_t next = past_blanks(s, ++at);
      if (next < s.size() && (s[next] == '}' || s[next] == ']')) {
        out.add(s.substr(next, 1), kQuiet);
        at = next + 1;
      } else {
        out.begin(++depth);
      }
    } else if (c == '}' || c == ']') {
      out.begin(depth = std::max(0, depth - 1));
      out.add({&c, 1}, kQuiet);
      ++at;
    } else if (c == ',') {
      out.add(",", kQuiet);
      out.begin(depth);
      ++at;
    } else if (c == ':') {
      out.add(": ", kQuiet);
      ++at;
    } else if (c == '"') {
      const std::size_t end = end_of_string(s, at), next = past_blanks(s, end);
      const bool is_name = next < s.size() && s[next] == ':';
      out.add(s.substr(at, end - at), is_name ? kStrong : Style{});
      at = end;
    } else {
      std::size_t end = at;
      while (end < s.size() && !is_blank(s[end]) && std::string_view("{}[],:\"").find(s[end]) == std::string_view::npos) ++end;
      out.add(s.substr(at, end - at));
      at = end;
    }
  }
  return out.take();
}

bool has_no_end(std::string_view tag) {
  constexpr std::array<std::string_view, 14> kVoid{"area",  "base", "br",   "col",   "embed",  "hr",    "img",
                                                   "input", "link", "meta", "param", "source", "track", "wbr"};
  if (tag.starts_with("<!") || tag.starts_with("<?") || tag.ends_with("/>")) return true;
  const std::size_t end = tag.find_first_of(" \t\r\n/>", 1);
  return std::ranges::find(kVoid, lower(tag.substr(1, end == tag.npos ? tag.npos : end - 1))) != kVoid.end();
}

std::vector<PanelLine> markup(std::string_view s) {
  Lines out;
  int depth = 0;
  for (std::size_t at = past_blanks(s, 0); at < s.size() && !out.is_full(); at = past_blanks(s, at)) {
    if (s[at] != '<') {
      const std::size_t end = std::min(s.find('<', at), s.size());
      std::string_view text = s.substr(at, end - at);
      at = end;
      while (!text.empty() && !out.is_full()) {
        const std::size_t line = std::min(text.find('\n'), text.size());
        if (const std::string_view piece = trim(text.substr(0, line)); !piece.empty()) out.begin(depth), out.add(piece);
        text.remove_prefix(std::min(line + 1, text.size()));
      }
      continue;
    }
    const bool is_comment = s.substr(at).starts_with("<!--");
    const std::size_t close = is_comment ? s.find("-->", at) : s.find('>', at);
    const std::size_t end = close == s.npos ? s.size() : close + (is_comment ? 3 : 1);
    const std::string_view tag = s.substr(at, end - at);
    at = end;
    const bool is_end = tag.starts_with("</");
    if (is_end) depth = std::max(0, depth - 1);
    out.begin(depth);
    out.add(tag, is_comment ? kQuiet : kStrong);
    if (!is_end && !has_no_end(tag)) ++depth;
  }
  return out.take();
}

}  // namespace

std::vector<PanelLine> body_lines(std::string_view body, bool is_raw) {
  if (!is_text(body)) return hexadecimal(body);
  const std::string_view begin = trim(body.substr(0, 256));
  if (is_raw || begin.empty()) return plain(body);
  if (begin[0] == '{' || begin[0] == '[') return json(body);
  return begin[0] == '<' ? markup(body) : plain(body);
}

}  // namespace thrum::ui
