#include "http/regex.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/text.hpp"

namespace thrum::http {
namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

std::shared_ptr<const re2::RE2> compiled(std::string_view pattern, bool is_utf8) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(4 << 20);
  if (!is_utf8) options.set_encoding(re2::RE2::Options::EncodingLatin1);
  return std::make_shared<const re2::RE2>(piece(pattern), options);
}

}  // namespace

Expected<Regex> Regex::make(std::string_view pattern) {
  auto regex = compiled(pattern, true);
  if (!regex->ok())
    return usage_error(
        fmt::format("\"{}\" is no regular expression: {}", printable_prefix(pattern, 60), printable_prefix(regex->error(), 100)));
  return Regex(std::move(regex));
}

Regex Regex::glob(std::string_view pattern) {
  std::string text = "(?s)\\A";
  for (;;) {
    const std::size_t star = pattern.find('*');
    text += re2::RE2::QuoteMeta(piece(pattern.substr(0, star)));
    if (star == std::string_view::npos) break;
    text += ".*";
    pattern.remove_prefix(star + 1);
  }
  text += "\\z";
  return Regex(compiled(text, false));
}

bool Regex::matches(std::string_view text) const { return re2::RE2::PartialMatch(piece(text), *compiled_); }

}  // namespace thrum::http
