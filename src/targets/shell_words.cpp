#include "targets/shell_words.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.hpp"

namespace thrum::targets {
namespace {

constexpr bool is_line_end(char c) { return c == '\n' || c == '\r'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool ends_command(char c) { return c == '|' || c == ';' || c == '&' || c == '<' || c == '>'; }
constexpr bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& to, std::uint32_t point) {
  const auto byte = [&](std::uint32_t b) { to += static_cast<char>(b); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xc0 | point >> 6);
    byte(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    byte(0xe0 | point >> 12);
    byte(0x80 | (point >> 6 & 0x3f));
    byte(0x80 | (point & 0x3f));
  } else {
    byte(0xf0 | (point >> 18 & 7));
    byte(0x80 | (point >> 12 & 0x3f));
    byte(0x80 | (point >> 6 & 0x3f));
    byte(0x80 | (point & 0x3f));
  }
}

std::unexpected<Error> not_closed(std::string_view text, std::size_t at, std::string_view quote) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return usage_error("the curl command has a " + std::string(quote) + " that is not closed: " + printable_prefix(text.substr(at), 30) +
                     (line > 1 ? " in its line " + std::to_string(line) : std::string()));
}

// Words as bash makes them of one command.
class PosixWords {
 public:
  explicit PosixWords(std::string_view text) : text_(text) {}

  Expected<ShellWords> split() && {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_blank(c) || is_line_end(c)) {
        end_word();
        // The command ends with its line, but what is pasted may begin on a later one.
        if (is_line_end(c) && !out_.words.empty()) break;
        ++at_;
      } else if (c == '#' && !word_) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (ends_command(c)) {
        leave_out_descriptor(c);
        break;
      } else if (auto done = piece(c); !done) {
        return std::unexpected(std::move(done.error()));
      }
    }
    end_word();
    out_.behind = trim(text_.substr(at_));
    return std::move(out_);
  }

 private:
  std::string& word() { return word_ ? *word_ : word_.emplace(); }
  char next(std::size_t ahead = 1) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void end_word() {
    if (word_) out_.words.push_back(std::move(*word_));
    word_.reset();
  }
  // The digit of "2>/dev/null".
  void leave_out_descriptor(char c) {
    if ((c == '<' || c == '>') && word_ && word_->size() == 1 && is_digit(word_->front()) && at_ > 0 && text_[at_ - 1] == word_->front())
      word_.reset();
  }

  Expected<void> piece(char c) {
    if (c == '\'') return single_quoted();
    if (c == '"') return double_quoted();
    if (c == '$' && next() == '\'') return ansi_quoted();
    if (c == '$' && next() == '"') {
      ++at_;
      return double_quoted();
    }
    if (c == '\\') {
      escaped();
      return {};
    }
    note_expansion();
    word() += c;
    ++at_;
    return {};
  }

  // A backslash outside of quotes: the next character stands for itself, a line's end for nothing.
  void escaped() {
    if (next() == '\n' || (next() == '\r' && next(2) == '\n')) {
      at_ += next() == '\n' ? 2 : 3;
    } else if (at_ + 1 == text_.size()) {
      ++at_;  // a continued line without another
    } else {
      word() += text_[at_ + 1];
      at_ += 2;
    }
  }

  Expected<void> single_quoted() {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == text_.npos) return not_closed(text_, at_, "'");
    word() += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return {};
  }

  Expected<void> double_quoted() {
    const std::size_t from = at_++;
    word();
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const char c = text_[at_];
      if (c != '\\') {
        note_expansion();
        word() += c;
      } else if (next() == '\n') {
        ++at_;
      } else if (next() == '\r' && next(2) == '\n') {
        at_ += 2;
      } else {
        const char escaped = next();
        if (escaped != '"' && escaped != '\\' && escaped != '$' && escaped != '`') word() += '\\';
        if (at_ + 1 < text_.size()) word() += text_[++at_];
      }
    }
    if (at_ == text_.size()) return not_closed(text_, from, "\"");
    ++at_;
    return {};
  }

  // $'…' (the escapes of C, and \uHHHH), which is how browsers write line ends and quotes.
  Expected<void> ansi_quoted() {
    const std::size_t from = at_;
    at_ += 2;
    word();
    while (at_ < text_.size() && text_[at_] != '\'') {
      if (text_[at_] != '\\') {
        word() += text_[at_++];
      } else if (++at_ < text_.size()) {
        ansi_escape();
      }
    }
    if (at_ == text_.size()) return not_closed(text_, from, "$'");
    ++at_;
    return {};
  }

  void ansi_escape() {
    const char c = text_[at_++];
    constexpr std::string_view kNames = "abeEfnrtv", kBytes = "\a\b\x1b\x1b\f\n\r\t\v";
    if (const std::size_t known = kNames.find(c); known != kNames.npos) {
      word() += kBytes[known];
    } else if (c == '\\' || c == '\'' || c == '"' || c == '?') {
      word() += c;
    } else if (c == 'x' && at_ < text_.size() && hex_value(text_[at_]) >= 0) {
      word() += static_cast<char>(digits(16, 2));
    } else if (c >= '0' && c <= '7') {
      --at_;
      word() += static_cast<char>(digits(8, 3));
    } else if ((c == 'u' || c == 'U') && at_ < text_.size() && hex_value(text_[at_]) >= 0) {
      append_utf8(word(), code_point(c == 'u' ? 4 : 8));
    } else if (c == 'c' && at_ < text_.size()) {
      word() += static_cast<char>(text_[at_++] & 0x1f);
    } else {
      word() += {'\\', c};
    }
  }

  std::uint32_t digits(int base, int most) {
    std::uint32_t value = 0;
    for (int n = 0; n < most && at_ < text_.size(); ++n, ++at_) {
      const int digit = hex_value(text_[at_]);
      if (digit < 0 || digit >= base) break;
      value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
    }
    return value;
  }

  // Of JavaScript's two halves of a character, bash would make two characters that are none; what was meant is the one.
  std::uint32_t code_point(int most) {
    const std::uint32_t high = digits(16, most);
    if (high < 0xd800 || high > 0xdbff || text_.substr(at_, 2) != "\\u") return high;
    const std::size_t back = at_;
    at_ += 2;
    const std::uint32_t low = digits(16, 4);
    if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    at_ = back;
    return high;
  }

  // Remembers the first thing here that a shell would replace.
  void note_expansion() {
    if (!out_.left_as_is.empty()) return;
    const char c = text_[at_];
    std::size_t end = at_ + 1;
    if (c == '$' && begins_name(next())) {
      while (end < text_.size() && (begins_name(text_[end]) || is_digit(text_[end]))) ++end;
    } else if (c == '$' && (next() == '{' || next() == '(')) {
      end = std::min(text_.find(next() == '{' ? '}' : ')', at_), text_.size() - 1) + 1;
    } else if (c == '`') {
      end = std::min(text_.find('`', at_ + 1), text_.size() - 1) + 1;
    } else {
      return;
    }
    out_.left_as_is = text_.substr(at_, end - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string> word_;
  ShellWords out_;
};

// What cmd.exe hands on: carets and what they escape are undone, quotes stay for the program. Within quotes that cmd sees, a caret is
// itself.
struct CmdLine {
  std::string text;
  std::size_t end = 0;  // where in the source the command ends
};

CmdLine undo_carets(std::string_view text) {
  CmdLine line;
  bool is_quoted = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '^' && !is_quoted) {
      ++at;
      if (text.substr(at, 2) == "\r\n") ++at;
      // A line's end that is escaped is none, and what follows it is taken as it is, be it a line's end.
      if (at < text.size() && text[at] == '\n') ++at;
      if (text.substr(at, 2) == "\r\n") ++at;
      if (at < text.size()) line.text += text[at];
      continue;
    }
    if (c == '"') is_quoted = !is_quoted;
    if (!is_quoted && is_line_end(c) && line.text.empty()) continue;
    if (!is_quoted && (c == '|' || c == '&' || c == '<' || c == '>' || is_line_end(c))) break;
    if (c != '\r') line.text += c;
  }
  line.end = std::min(at, text.size());
  return line;
}

// A Windows program's own splitting of its line: backslashes count before a quote only; "" within quotes is a quote.
Expected<ShellWords> split_cmd(std::string_view source) {
  const CmdLine line = undo_carets(source);
  const std::string_view text = line.text;
  ShellWords out;
  std::optional<std::string> word;
  std::size_t quoted_from = text.npos;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_quoted = quoted_from != text.npos;
    if (!is_quoted && is_blank(c)) {
      if (word) out.words.push_back(std::move(*word));
      word.reset();
      continue;
    }
    if (!word) word.emplace();
    if (c == '\\') {
      const std::size_t run = std::min(text.find_first_not_of('\\', at), text.size()) - at;
      const bool before_quote = at + run < text.size() && text[at + run] == '"';
      word->append(before_quote ? run / 2 : run, '\\');
      at += run - 1;
      if (before_quote && run % 2 == 1) {
        *word += '"';
        ++at;
      }
    } else if (c == '"') {
      if (is_quoted && text.substr(at, 2) == "\"\"") {
        *word += '"';
        ++at;
      } else {
        quoted_from = is_quoted ? text.npos : at;
      }
    } else {
      *word += c;
    }
  }
  if (quoted_from != text.npos) return not_closed(text, quoted_from, "\"");
  if (word) out.words.push_back(std::move(*word));
  out.behind = trim(source.substr(line.end));
  return out;
}

}  // namespace

Shell guess_shell(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\'' || c == '\\') return Shell::posix;
    if (c == '^' && at + 1 < text.size() && (text[at + 1] == '"' || is_line_end(text[at + 1]))) return Shell::cmd;
    if (c == '"') {
      // Both shells have these. A backslash may keep a quote from ending in either; nothing but what stands outside tells.
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    }
  }
  return Shell::posix;
}

Expected<ShellWords> split_words(std::string_view text, Shell shell) {
  return shell == Shell::cmd ? split_cmd(text) : PosixWords(text).split();
}

}  // namespace thrum::targets
