// What a user types after -where and -group: understood, or one line that says why not; and what is understood obeys logic.
// The text up to the first newline is the condition (or the rule), what follows are the texts of a result, a line each.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "measure/grouping.hpp"
#include "measure/where.hpp"
#include "require.hpp"

using thrum::fuzz::require;

namespace {

template <class T>
bool is_explained(const thrum::Expected<T>& result) {
  return result || (!result.error().text.empty() && thrum::printable(result.error().text) == result.error().text &&
                    result.error().text.size() < 2000);
}

std::string_view take_line(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view text = take_line(rest);
  thrum::Result r;
  r.url = take_line(rest);
  r.method = take_line(rest);
  r.attack = r.name = take_line(rest);
  r.error = take_line(rest);
  for (const char c : rest.substr(0, 2)) r.code = static_cast<std::uint16_t>(r.code * 256 + static_cast<unsigned char>(c));
  r.latency = thrum::Nanos(std::int64_t{r.code} * 1'000'000);

  auto where = thrum::Where::parse(text);
  require(is_explained(where));
  if (where) {
    const bool holds = where->matches(r);
    require(where->matches(r) == holds);
    const std::string inner = "(" + std::string(text) + ")";
    // The brackets may be one level too many.
    if (auto opposite = thrum::Where::parse("not " + inner)) require(opposite->matches(r) != holds);
    if (auto twice = thrum::Where::parse(inner + "," + inner)) require(twice->matches(r) == holds);
    if (auto either = thrum::Where::parse(inner + " or !" + inner)) require(either->matches(r));
  }

  thrum::GroupRules rules;
  const auto added = rules.add(text);
  require(is_explained(added) && rules.empty() == !added);
  // A rule fits itself, unless a part of it wants more than is there.
  if (added && text.find("//") == text.npos && !text.ends_with('/')) require(rules.rule_for(text) == text);
  for (const auto by : {thrum::GroupBy::url, thrum::GroupBy::target, thrum::GroupBy::host, thrum::GroupBy::name, thrum::GroupBy::code}) {
    thrum::Groups groups(by, rules);
    groups.add(r, true);
    groups.add(r, false);
    const thrum::GroupTable table = groups.table(10);
    require(table.rows.size() == 1 ? table.rows[0].requests == 2 : table.others.requests == 2);
  }
  return 0;
}
