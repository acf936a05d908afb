#include "measure/text_pattern.hpp"

#include <re2/re2.h>

#include "base/text.hpp"

namespace thrum {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

TextPattern::TextPattern() = default;
TextPattern::~TextPattern() = default;
TextPattern::TextPattern(TextPattern&&) noexcept = default;
TextPattern& TextPattern::operator=(TextPattern&&) noexcept = default;

TextPattern TextPattern::glob(std::string_view pattern, bool ignore_case) {
  TextPattern p;
  p.glob_ = pattern;
  p.ignore_case_ = ignore_case;
  return p;
}

Expected<TextPattern> TextPattern::regex(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  TextPattern p;
  p.regex_ = std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!p.regex_->ok()) return usage_error(printable_prefix(p.regex_->error(), 100));
  return p;
}

bool TextPattern::matches(std::string_view text) {
  return known_.get(text, [&](std::string_view t) {
    return regex_ ? re2::RE2::PartialMatch(re2::StringPiece(t.data(), t.size()), *regex_) : matches_glob(t);
  });
}

bool TextPattern::is_same(char pattern, char text) const { return pattern == text || (ignore_case_ && lower(pattern) == lower(text)); }

// A mismatch lets the last star take one character more; stars before it need no second look.
bool TextPattern::matches_glob(std::string_view text) const {
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t at = 0, in_text = 0, star = kNone, star_end = 0;
  while (true) {
    if (at < glob_.size() && glob_[at] == '*') {
      star = at++;
      star_end = in_text;
      continue;
    }
    if (in_text == text.size() && at == glob_.size()) return true;
    const bool escaped = glob_.compare(at, 2, "\\*") == 0;
    if (in_text < text.size() && at < glob_.size() && is_same(glob_[escaped ? at + 1 : at], text[in_text])) {
      at += escaped ? 2 : 1;
      ++in_text;
      continue;
    }
    if (star == kNone || star_end == text.size()) return false;
    in_text = ++star_end;
    at = star + 1;
  }
}

}  // namespace thrum
