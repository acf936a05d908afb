#include "measure/where.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "measure/text_pattern.hpp"
#include "measure/url_view.hpp"

namespace thrum {
namespace {

enum class Field : std::uint8_t { code, method, url, host, attack, name, error, latency };

struct FieldName {
  std::string_view name;
  Field field;
};
constexpr std::array<FieldName, 8> kFields{{{"code", Field::code},
                                            {"method", Field::method},
                                            {"url", Field::url},
                                            {"host", Field::host},
                                            {"attack", Field::attack},
                                            {"name", Field::name},
                                            {"error", Field::error},
                                            {"latency", Field::latency}}};
constexpr std::string_view kFieldList = "code, method, url, host, attack, name, error, latency";

bool is_number(Field field) { return field == Field::code || field == Field::latency; }

enum class Operator : std::uint8_t { equal, not_equal, like, not_like, less, at_most, more, at_least };

// Longer spellings before those they begin with.
constexpr std::array<std::pair<std::string_view, Operator>, 10> kOperators{{{"!=", Operator::not_equal},
                                                                            {"!~", Operator::not_like},
                                                                            {"=~", Operator::like},
                                                                            {"==", Operator::equal},
                                                                            {"<=", Operator::at_most},
                                                                            {">=", Operator::at_least},
                                                                            {"=", Operator::equal},
                                                                            {"~", Operator::like},
                                                                            {"<", Operator::less},
                                                                            {">", Operator::more}}};

// What of a URL a pattern is held against: one that begins with / is of paths, without the query unless it speaks of one.
enum class UrlPart : std::uint8_t { whole, path, path_and_query };

struct Range {
  std::int64_t low, high;  // both included
};

std::optional<Range> code_range(std::string_view text) {
  const auto code = [](std::string_view s) -> std::optional<std::int64_t> {
    std::uint16_t value = 0;
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
    if (error != std::errc() || end != s.data() + s.size()) return {};
    return value;
  };
  if (text.size() == 3 && text[0] >= '1' && text[0] <= '9' && equal_ignoring_case(text.substr(1), "xx")) {
    const std::int64_t hundred = (text[0] - '0') * 100;
    return Range{hundred, hundred + 99};
  }
  const std::size_t dash = text.find('-');
  const auto low = code(text.substr(0, dash)), high = dash == text.npos ? low : code(text.substr(dash + 1));
  if (!low || !high || *high < *low) return {};
  return Range{*low, *high};
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

struct Where::Node {
  enum class Kind : std::uint8_t { all, any, number, text } kind = Kind::all;
  bool negated = false;
  std::vector<Node> children{};  // of all and any
  Field field = Field::code;
  Range range{0, 0};                     // of number
  std::optional<TextPattern> pattern{};  // of text
  UrlPart part = UrlPart::whole;

  bool holds(const Result& result) {
    switch (kind) {
      case Kind::all:
        return std::all_of(children.begin(), children.end(), [&](Node& n) { return n.holds(result); }) != negated;
      case Kind::any:
        return std::any_of(children.begin(), children.end(), [&](Node& n) { return n.holds(result); }) != negated;
      case Kind::number: {
        const std::int64_t value = field == Field::code ? std::int64_t{result.code} : result.latency.count();
        return (value >= range.low && value <= range.high) != negated;
      }
      case Kind::text:
        return pattern->matches(text_of(result)) != negated;
    }
    return false;
  }

  std::string_view text_of(const Result& result) const {
    switch (field) {
      case Field::method:
        return result.method;
      case Field::attack:
        return result.attack;
      case Field::name:
        return result.name;
      case Field::error:
        return result.error;
      case Field::host:
        return view_of(result.url).host;
      default:
        break;
    }
    if (part == UrlPart::whole) return result.url;
    const UrlView url = view_of(result.url);
    return part == UrlPart::path ? url.path : url.path_and_query;
  }
};

// Recursive descent: any := all ("or" all)*, all := one (("," | "and") one)*, one := ("not" | "!") one | "(" any ")" | condition.
class Where::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expected<Node> whole() {
    Expected<Node> node = any(0);
    if (node && !skip_blanks()) return bad(at_, text_[at_] == ')' ? "there is no ( to this )" : "expected , and, or, or the end");
    return node;
  }

 private:
  static constexpr int kDeepest = 100;

  // Skips blanks; whether that was the end.
  bool skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    return at_ == text_.size();
  }

  std::unexpected<Error> bad(std::size_t at, std::string_view what) const {
    constexpr std::size_t kAround = 40;
    const std::size_t from = at > kAround ? at - kAround : 0;
    const std::string_view before = text_.substr(from, at - from), after = text_.substr(at);
    return usage_error(fmt::format("-where: {}; see the ^ before character {}: {}{}^{}", what, at + 1, from > 0 ? "…" : "",
                                   printable(before), printable_prefix(after, kAround)));
  }

  std::string_view word_ahead() {
    skip_blanks();
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool take_word(std::string_view word) {
    if (!equal_ignoring_case(word_ahead(), word)) return false;
    at_ += word.size();
    return true;
  }
  bool take(char c) {
    if (skip_blanks() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  static Node joined(Node::Kind kind, std::vector<Node> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    return Node{.kind = kind, .children = std::move(parts)};
  }

  Expected<Node> any(int depth) {
    std::vector<Node> parts;
    do {
      Expected<Node> part = all(depth);
      if (!part) return part;
      parts.push_back(std::move(*part));
    } while (take_word("or"));
    return joined(Node::Kind::any, std::move(parts));
  }

  Expected<Node> all(int depth) {
    std::vector<Node> parts;
    do {
      Expected<Node> part = one(depth);
      if (!part) return part;
      parts.push_back(std::move(*part));
    } while (take(',') || take_word("and"));
    return joined(Node::Kind::all, std::move(parts));
  }

  Expected<Node> one(int depth) {
    skip_blanks();
    const std::size_t start = at_;
    if (depth > kDeepest) return bad(start, "too many ( or ! within each other");
    if (take('!') || take_word("not")) {
      Expected<Node> node = one(depth + 1);
      if (node) node->negated = !node->negated;
      return node;
    }
    if (!take('(')) return condition();
    Expected<Node> node = any(depth + 1);
    if (node && !take(')')) return bad(start, "this ( has no )");
    return node;
  }

  Expected<Node> condition() {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view name = word_ahead();
    if (name.empty()) return bad(start, "expected a condition such as code>=500 or url~^/api");
    const auto field = std::find_if(kFields.begin(), kFields.end(), [&](const FieldName& f) { return equal_ignoring_case(f.name, name); });
    if (field == kFields.end()) return bad(start, fmt::format("\"{}\" is no field; there are {}", printable_prefix(name, 20), kFieldList));
    at_ += name.size();
    skip_blanks();
    const auto op =
        std::find_if(kOperators.begin(), kOperators.end(), [&](const auto& o) { return text_.substr(at_).starts_with(o.first); });
    const bool is_regex = op != kOperators.end() && (op->second == Operator::like || op->second == Operator::not_like);
    if (op == kOperators.end() || (is_number(field->field) ? is_regex : op->second > Operator::not_like))
      return bad(at_, is_number(field->field)
                          ? fmt::format("{} is a number: expected = != < <= > or >=", field->name)
                          : fmt::format("{} is text: expected = or != (with * for anything), ~ or !~ (a regular expression)", field->name));
    at_ += op->first.size();
    skip_blanks();
    const std::size_t value_start = at_;
    const Expected<std::string_view> value = value_text(is_regex);
    if (!value) return std::unexpected(value.error());
    return is_number(field->field) ? number(field->field, op->second, *value, value_start)
                                   : text(field->field, op->second, *value, value_start);
  }

  // Quoted, or up to a blank, a comma or a ) that is none of its own. A regular expression may have such within its brackets.
  Expected<std::string_view> value_text(bool is_regex) {
    const std::size_t start = at_;
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const std::size_t end = text_.find(text_[at_], at_ + 1);
      if (end == text_.npos) return bad(start, "this quote has no end");
      at_ = end + 1;
      return text_.substr(start + 1, end - start - 1);
    }
    std::vector<std::size_t> open;  // places of brackets
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      const char inner = open.empty() ? '\0' : text_[open.back()];
      if (is_regex && c == '\\' && at_ + 1 < text_.size())
        ++at_;
      else if (inner == '[')
        c == ']' && at_ > open.back() + 1 ? open.pop_back() : void();  // ] right after [ is itself
      else if (is_regex && (c == '(' || c == '[' || c == '{'))
        open.push_back(at_);
      else if ((inner == '(' && c == ')') || (inner == '{' && c == '}'))
        open.pop_back();
      else if (open.empty() && (is_blank(c) || c == ',' || c == ')'))
        break;
    }
    if (!open.empty()) return bad(open.back(), fmt::format("this {} of a regular expression is not closed", text_[open.back()]));
    if (at_ == start) return bad(start, "a value is missing; the empty one is \"\"");
    return text_.substr(start, at_ - start);
  }

  Expected<Node> number(Field field, Operator op, std::string_view value, std::size_t at) const {
    std::optional<Range> range;
    if (field == Field::code) {
      range = code_range(value);
      if (!range) return bad(at, "a code is a number up to 65535, a hundred such as 5xx, or a range such as 200-299");
    } else {
      const Expected<Nanos> duration = parse_duration(value);
      if (!duration) return bad(at, duration.error().text);
      range = Range{duration->count(), duration->count()};
    }
    // A range such as 5xx is above what it begins with and below what it ends with.
    constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min(), kHighest = std::numeric_limits<std::int64_t>::max();
    Node node{.kind = Node::Kind::number, .field = field, .range = *range};
    if (op == Operator::at_most || op == Operator::more) node.range.low = kLowest;
    if (op == Operator::at_least || op == Operator::less) node.range.high = kHighest;
    node.negated = op == Operator::not_equal || op == Operator::more || op == Operator::less;
    return node;
  }

  Expected<Node> text(Field field, Operator op, std::string_view value, std::size_t at) const {
    const bool is_regex = op == Operator::like || op == Operator::not_like;
    Node node{.kind = Node::Kind::text, .negated = op == Operator::not_equal || op == Operator::not_like, .field = field};
    if (!is_regex) {
      node.pattern = TextPattern::glob(value, field == Field::method || field == Field::host);
    } else {
      Expected<TextPattern> regex = TextPattern::regex(value);
      if (!regex) return bad(at, fmt::format("bad regular expression ({})", regex.error().text));
      node.pattern = std::move(*regex);
    }
    if (field == Field::url && value.starts_with(is_regex ? "^/" : "/"))
      node.part = is_regex || value.find('?') != value.npos ? UrlPart::path_and_query : UrlPart::path;
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

Where::Where(std::unique_ptr<Node> root) : root_(std::move(root)) {}
Where::~Where() = default;
Where::Where(Where&&) noexcept = default;
Where& Where::operator=(Where&&) noexcept = default;

Expected<Where> Where::parse(std::string_view text) {
  Expected<Node> root = Parser(text).whole();
  if (!root) return std::unexpected(std::move(root.error()));
  return Where(std::make_unique<Node>(std::move(*root)));
}

bool Where::matches(const Result& result) { return root_->holds(result); }

}  // namespace thrum
