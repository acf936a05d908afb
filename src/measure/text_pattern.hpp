// A pattern held against texts of results: a text in which * stands for anything, or a regular expression (RE2's, which takes
// time linear in the text whatever the pattern).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "measure/memo.hpp"
#include "thrum/error.hpp"

namespace re2 {
class RE2;
}

namespace thrum {

class TextPattern {
 public:
  // The whole text must match; * stands for any text, the empty one too, and \* for a star.
  static TextPattern glob(std::string_view pattern, bool ignore_case);
  // Matches anywhere in the text unless it says ^ or $. The error is RE2's own word for what is wrong.
  static Expected<TextPattern> regex(std::string_view pattern);
  ~TextPattern();
  TextPattern(TextPattern&&) noexcept;
  TextPattern& operator=(TextPattern&&) noexcept;

  bool matches(std::string_view text);  // not const: it remembers

 private:
  TextPattern();
  bool matches_glob(std::string_view text) const;
  bool is_same(char pattern, char text) const;

  std::unique_ptr<re2::RE2> regex_;  // none: a glob
  std::string glob_;
  bool ignore_case_ = false;
  Memo<bool> known_;
};

}  // namespace thrum
