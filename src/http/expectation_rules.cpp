#include "http/expectation_rules.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/size.hpp"
#include "base/text.hpp"
#include "http/syntax.hpp"

namespace thrum::http {
namespace {

constexpr std::size_t kShown = 80;  // of what the user wrote, in an error or in words

std::string shown(std::string_view text) { return printable_prefix(text, kShown); }

bool take(std::string_view& text, std::string_view sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(sign.size());
  return true;
}

}  // namespace

Expected<HeaderRule> HeaderRule::make(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = trim(text.substr(0, colon));
  if (!is_token(name))
    return usage_error(
        fmt::format("\"{}\" is no header to expect: write NAME, or NAME: VALUE as in \"Content-Type: text/*\"", shown(text)));
  HeaderRule rule;
  rule.name_ = name;
  if (colon == std::string_view::npos) {
    rule.words_ = fmt::format("expectation: no header {}", shown(name));
    return rule;
  }
  std::string_view value = trim(text.substr(colon + 1));
  rule.words_ = fmt::format("expectation: no header {}: {}", shown(name), shown(value));
  if (!take(value, "~")) {
    rule.value_ = Regex::glob(value);
    return rule;
  }
  auto regex = Regex::make(value);
  if (!regex) return std::unexpected(regex.error());
  rule.value_ = std::move(*regex);
  return rule;
}

bool HeaderRule::holds(std::string_view name, std::string_view value) const {
  return equal_ignoring_case(name, name_) && (!value_ || value_->matches(trim_blanks(value)));
}

Expected<SizeRule> SizeRule::make(std::string_view text) {
  const auto bad = [&] {
    return usage_error(fmt::format("\"{}\" is no size to expect: write it like 512, >0, <=1MB or 100-200", shown(text)));
  };
  const auto size = [](std::string_view s) -> std::optional<std::uint64_t> {
    const auto n = parse_size(trim(s));
    if (trim(s).empty() || !n || *n < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*n);
  };
  SizeRule rule;
  std::string_view rest = trim(text);
  rule.words_ = fmt::format("expectation: size of the body is not {}", shown(rest));
  const bool at_least = take(rest, ">="), at_most = !at_least && take(rest, "<=");
  const bool more = !at_least && !at_most && take(rest, ">"), less = !at_least && !at_most && !more && take(rest, "<");
  const std::size_t dash = rest.find('-');
  const bool is_range = dash != std::string_view::npos && dash > 0 && !at_least && !at_most && !more && !less;
  const auto first = size(rest.substr(0, is_range ? dash : rest.size())), last = is_range ? size(rest.substr(dash + 1)) : first;
  if (!first || !last || *last < *first || (less && *first == 0)) return bad();
  if (more || at_least) {
    rule.least_ = *first + (more ? 1 : 0);
  } else if (less || at_most) {
    rule.most_ = *first - (less ? 1 : 0);
  } else {
    rule.least_ = *first;
    rule.most_ = *last;
  }
  return rule;
}

Expected<BodyRule> BodyRule::make(std::string_view text) {
  BodyRule rule;
  std::string_view rest = text;
  rule.is_wanted_ = !take(rest, "!");
  const bool is_regex = take(rest, "~");
  if (!is_regex) take(rest, "=");
  if (rest.empty()) return usage_error("an empty text is in every body: give one, or ~REGEX, or !TEXT for one that must not be there");
  if (!is_regex) {
    rule.text_ = rest;
    rule.words_ = fmt::format("expectation: {} \"{}\" in the body", rule.is_wanted_ ? "no" : "there is", shown(rest));
    return rule;
  }
  auto regex = Regex::make(rest);
  if (!regex) return std::unexpected(regex.error());
  rule.regex_ = std::move(*regex);
  rule.words_ = fmt::format("expectation: body {} {}", rule.is_wanted_ ? "does not match" : "matches", shown(rest));
  return rule;
}

bool BodyRule::holds(std::string_view body) const {
  const bool found = regex_ ? regex_->matches(body) : body.find(text_) != std::string_view::npos;
  return found == is_wanted_;
}

Expected<JsonRule> JsonRule::make(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Test>, 9> kSigns{{{"==", Test::equal},
                                                                            {"!=", Test::unequal},
                                                                            {"<=", Test::at_most},
                                                                            {">=", Test::at_least},
                                                                            {"=~", Test::matches},
                                                                            {"=", Test::equal},
                                                                            {"<", Test::less},
                                                                            {">", Test::more},
                                                                            {"~", Test::matches}}};
  JsonRule rule;
  const std::string_view whole = trim(text);
  auto path = read_json_path(whole);
  if (!path) return std::unexpected(path.error());
  rule.path_ = std::move(*path);
  const std::string_view shown_path = whole.substr(0, rule.path_.length);
  std::string_view rest = trim(whole.substr(rule.path_.length));
  if (rest.empty()) {
    rule.words_ = fmt::format("expectation: no {} in the JSON body", shown(shown_path));
    return rule;
  }
  for (const auto& [sign, test] : kSigns) {
    if (!take(rest, sign)) continue;
    rule.test_ = test;
    rest = trim(rest);
    rule.words_ = fmt::format("expectation: {} is not {}{}", shown(shown_path), sign == "=" || sign == "==" ? "" : sign, shown(rest));
    if (auto ok = rule.set_value(rest); !ok) return std::unexpected(ok.error());
    return rule;
  }
  return usage_error(
      fmt::format("\"{}\": after the path {} comes =, !=, <, <=, >, >= or ~, not \"{}\"", shown(text), shown(shown_path), shown(rest)));
}

Expected<void> JsonRule::set_value(std::string_view text) {
  if (test_ == Test::matches) {
    auto regex = Regex::make(text);
    if (!regex) return std::unexpected(regex.error());
    regex_ = std::move(*regex);
    return {};
  }
  bare_ = text;
  wanted_ = read_json_scalar(text);
  const bool is_order = test_ != Test::equal && test_ != Test::unequal;
  if (is_order && wanted_.kind != JsonValue::Kind::number)
    return usage_error(fmt::format("\"{}\" is no number; <, <=, > and >= compare numbers", shown(text)));
  if (text.starts_with('{') || text.starts_with('['))
    return usage_error(fmt::format("\"{}\" is a whole object or list; expect one of its values, like .items[0].id=7", shown(text)));
  return {};
}

bool JsonRule::holds(const JsonValue& value) const {
  if (value.kind == JsonValue::Kind::missing) return false;
  switch (test_) {
    case Test::exists:
      return true;
    case Test::equal:
      return is_equal(value);
    case Test::unequal:
      return !is_equal(value);
    case Test::matches:
      return value.kind == JsonValue::Kind::text && regex_->matches(value.text);
    default:
      return value.kind == JsonValue::Kind::number && compares(value);
  }
}

// What is written without quotes may be a text as well as what it is to JSON.
bool JsonRule::is_equal(const JsonValue& value) const {
  using Kind = JsonValue::Kind;
  if (value.kind == Kind::text) return value.text == (wanted_.kind == Kind::text ? wanted_.text : bare_);
  if (value.kind != wanted_.kind) return false;
  if (value.kind == Kind::boolean) return value.boolean == wanted_.boolean;
  if (value.kind != Kind::number) return value.kind == Kind::null;
  if (!value.is_integer || !wanted_.is_integer) return value.number == wanted_.number;
  return value.integer == wanted_.integer && value.is_negative == wanted_.is_negative;
}

bool JsonRule::compares(const JsonValue& value) const {
  const double a = value.number, b = wanted_.number;
  switch (test_) {
    case Test::less:
      return a < b;
    case Test::at_most:
      return a <= b;
    case Test::more:
      return a > b;
    default:
      return a >= b;
  }
}

}  // namespace thrum::http
