// A regular expression (RE2: time linear in the text, whatever the pattern), held against texts by any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "thrum/error.hpp"

namespace re2 {
class RE2;
}

namespace thrum::http {

class Regex {
 public:
  // Matches anywhere in a text unless it says ^ or $. The error is one line with RE2's own word for what is wrong.
  static Expected<Regex> make(std::string_view pattern);
  // The whole text must match; * stands for anything.
  static Regex glob(std::string_view pattern);

  bool matches(std::string_view text) const;

 private:
  explicit Regex(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace thrum::http
