// The rules that a response may be held to, one of each kind: made from what the user wrote, then held against many responses,
// by any thread. Each has the words for a response that breaks it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/json_body.hpp"
#include "http/json_path.hpp"
#include "http/regex.hpp"
#include "thrum/error.hpp"

namespace thrum::http {

// "NAME", "NAME: VALUE", "NAME: ~REGEX"
class HeaderRule {
 public:
  static Expected<HeaderRule> make(std::string_view text);
  bool holds(std::string_view name, std::string_view value) const;  // of one header; one such is enough
  const std::string& words() const { return words_; }

 private:
  std::string name_;
  std::optional<Regex> value_;  // none: any
  std::string words_;
};

// "100", ">100", "<=1MB", "100-200"
class SizeRule {
 public:
  static Expected<SizeRule> make(std::string_view text);
  bool holds(std::uint64_t bytes) const { return bytes >= least_ && bytes <= most_; }
  const std::string& words() const { return words_; }

 private:
  std::uint64_t least_ = 0, most_ = UINT64_MAX;
  std::string words_;
};

// "TEXT", "~REGEX"; with "!" before it: not; with "=" before it: text, whatever it begins with
class BodyRule {
 public:
  static Expected<BodyRule> make(std::string_view text);
  bool holds(std::string_view body) const;
  const std::string& words() const { return words_; }

 private:
  std::string text_;
  std::optional<Regex> regex_;
  bool is_wanted_ = true;
  std::string words_;
};

// ".path", ".path=VALUE", "!=", "<", "<=", ">", ">=", "~REGEX"
class JsonRule {
 public:
  static Expected<JsonRule> make(std::string_view text);
  const JsonPath& path() const { return path_; }
  bool holds(const JsonValue& value) const;  // of what stands at the path
  const std::string& words() const { return words_; }

 private:
  enum class Test : std::uint8_t { exists, equal, unequal, less, at_most, more, at_least, matches };

  Expected<void> set_value(std::string_view text);
  bool is_equal(const JsonValue& value) const;
  bool compares(const JsonValue& value) const;

  JsonPath path_;
  Test test_ = Test::exists;
  std::string bare_;  // the value as it was written: a text needs no quotes
  JsonValue wanted_;  // what it is as JSON, if it is
  std::optional<Regex> regex_;
  std::string words_;
};

}  // namespace thrum::http
