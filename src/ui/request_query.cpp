#include "ui/request_query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/duration.hpp"
#include "base/size.hpp"
#include "base/text.hpp"

namespace thrum::ui {
namespace {

using Holds = std::function<bool(const RecentResult&)>;

constexpr std::size_t kBodyBegin = 4096;  // of it plain words are looked for in

bool contains(std::string_view text, const std::string& lower_word) { return lower(text).find(lower_word) != std::string::npos; }

std::string status_text(const RecentResult& r) { return r.status == 0 ? "no response" : std::to_string(r.status); }

// Blank-separated words; "…" holds blanks together. False: a quote is not closed.
bool split(std::string_view text, std::vector<std::string>& words) {
  std::string word;
  bool is_quoted = false, has_word = false;
  for (const char c : text) {
    if (c == '"') {
      is_quoted = !is_quoted;
      has_word = true;
    } else if (c == ' ' && !is_quoted) {
      if (has_word) words.push_back(std::exchange(word, {}));
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (has_word) words.push_back(std::move(word));
  return !is_quoted;
}

// "5xx", "429", "none"; commas between several.
Expected<Holds> status_term(std::string_view value) {
  std::vector<std::pair<int, int>> ranges;
  while (true) {
    const std::size_t comma = value.find(',');
    const std::string_view each = value.substr(0, comma);
    const bool is_class = each.size() == 3 && each[0] >= '1' && each[0] <= '9' && lower(each.substr(1)) == "xx";
    int code = 0;
    const auto [end, failed] = std::from_chars(each.data(), each.data() + each.size(), code);
    if (each == "none")
      ranges.emplace_back(0, 0);
    else if (is_class)
      ranges.emplace_back((each[0] - '0') * 100, (each[0] - '0') * 100 + 99);
    else if (failed == std::errc() && end == each.data() + each.size() && code >= 100 && code <= 999)
      ranges.emplace_back(code, code);
    else
      return usage_error("status: takes codes, classes and none, as in status:5xx,429");
    if (comma == value.npos) break;
    value.remove_prefix(comma + 1);
  }
  return [ranges](const RecentResult& r) {
    return std::ranges::any_of(ranges, [&](const auto& range) { return r.status >= range.first && r.status <= range.second; });
  };
}

// "lat>200ms" and the like: what the number is of, what it is compared to.
template <class Number, class Of>
Holds compared(std::string_view sign, Number number, Of of) {
  return [sign = std::string(sign), number, of](const RecentResult& r) {
    const auto value = of(r);
    if (sign == ">") return value > number;
    if (sign == "<") return value < number;
    return sign == ">=" ? value >= number : value <= number;
  };
}

Expected<Holds> header_term(std::string_view value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || value.empty()) return usage_error("hdr: takes a name, and what its value has in it, as in hdr:cf-ray=FRA");
  const std::string name(value.substr(0, equals)), part = equals == value.npos ? "" : lower(value.substr(equals + 1));
  return [name, part](const RecentResult& r) {
    return r.kept && std::ranges::any_of(r.kept->headers,
                                         [&](const auto& h) { return equal_ignoring_case(h.first, name) && contains(h.second, part); });
  };
}

Expected<Nanos> time_of(std::string_view word, std::string_view value) {
  auto time = parse_duration(value);
  if (!time) return usage_error(fmt::format("{} takes a time, as in {}200ms", word, word));
  return *time;
}

Expected<Holds> compared_term(std::string_view name, std::string_view sign, std::string_view value) {
  if (name == "lat") {
    const auto time = time_of(fmt::format("{}{}", name, sign), value);
    if (!time) return std::unexpected(time.error());
    return compared(sign, *time, [](const RecentResult& r) { return r.latency; });
  }
  const auto size = parse_size(value);
  if (!size || *size < 0) return usage_error(fmt::format("size{} takes a size, as in size{}1KB", sign, sign));
  return compared(sign, static_cast<std::uint64_t>(*size), [](const RecentResult& r) { return r.bytes; });
}

Expected<Holds> term(std::string_view word) {
  for (const std::string_view name : {"lat", "size"}) {
    if (!word.starts_with(name)) continue;
    const std::string_view rest = word.substr(name.size());
    const std::size_t sign = rest.starts_with(">=") || rest.starts_with("<=") ? 2 : rest.starts_with('>') || rest.starts_with('<') ? 1 : 0;
    if (sign > 0) return compared_term(name, rest.substr(0, sign), rest.substr(sign));
  }
  const std::size_t colon = word.find(':');
  const std::string_view name = word.substr(0, colon), value = colon == word.npos ? "" : word.substr(colon + 1);
  if (colon != word.npos && value.empty() &&
      (name == "status" || name == "err" || name == "body" || name == "hdr" || name == "after" || name == "before"))
    return usage_error(fmt::format("{}: has nothing behind it", name));
  const std::string part = lower(value);
  if (colon != word.npos && name == "status") return status_term(value);
  if (colon != word.npos && name == "hdr") return header_term(value);
  if (colon != word.npos && name == "err") return [part](const RecentResult& r) { return contains(r.error, part); };
  if (colon != word.npos && name == "body") return [part](const RecentResult& r) { return r.kept && contains(r.kept->body, part); };
  if (colon != word.npos && (name == "after" || name == "before")) {
    const auto time = time_of(fmt::format("{}:", name), value);
    if (!time) return std::unexpected(time.error());
    return [at = *time, is_after = name == "after"](const RecentResult& r) { return is_after ? r.at >= at : r.at < at; };
  }
  return [text = lower(word)](const RecentResult& r) {
    return contains(status_text(r) + ' ' + r.error, text) ||
           (r.kept && contains(std::string_view(r.kept->body).substr(0, kBodyBegin), text));
  };
}

}  // namespace

Expected<RequestQuery> RequestQuery::parse(std::string_view text) {
  RequestQuery query;
  std::vector<std::string> words;
  if (!split(text, words)) return usage_error("a \" is not closed");
  for (std::string_view word : words) {
    const bool is_turned = word.size() > 1 && word.starts_with('-');
    if (is_turned) word.remove_prefix(1);
    auto holds = term(word);
    if (!holds) return std::unexpected(holds.error());
    query.terms_.push_back({is_turned, std::move(*holds)});
  }
  return query;
}

bool RequestQuery::fits(const RecentResult& result) const {
  return std::ranges::all_of(terms_, [&](const Term& t) { return t.holds(result) != t.is_turned; });
}

}  // namespace thrum::ui
