#include "targets/pragma.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.hpp"

namespace thrum::targets {
namespace {

constexpr std::string_view kMark = "#:";
constexpr std::size_t kLongestName = 200, kShown = 40;

const std::vector<std::string>& words() {
  static const std::vector<std::string> kWords{"name", "weight", "expect"};
  return kWords;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view first_word(std::string_view s) { return s.substr(0, s.find_first_of(" \t")); }

// "status 200,404"
Expected<void> read_expectation(std::string_view text, Target& into) {
  const std::string_view what = first_word(text);
  if (what.empty()) return failure("what to expect is missing, as in \"expect status 200,404\"");
  auto added = add_expectation(what, trim(text.substr(what.size())), into.expect);
  return added ? Expected<void>() : failure(added.error().text);
}

}  // namespace

bool is_pragma(std::string_view line) {
  if (!line.starts_with(kMark) || line.size() == kMark.size()) return false;
  line.remove_prefix(kMark.size());
  return is_blank(line[0]) || std::ranges::find(words(), first_word(line)) != words().end();
}

Expected<void> read_pragma(std::string_view line, TargetRules rules, Target& into) {
  line.remove_prefix(kMark.size());
  if (!is_blank(line[0])) return failure(fmt::format("a pragma has a blank after \"#:\": write \"#: {}\"", printable_prefix(line, kShown)));
  line = trim(line);
  const std::string_view word = first_word(line), value = trim(line.substr(word.size()));
  if (word == "name") return set_name(value, into);
  if (word == "weight") return set_weight(value, rules, into);
  if (word == "expect") return read_expectation(value, into);
  const std::string near = nearest(word, words());
  return failure(
      fmt::format("\"{}\" is no pragma{} (a comment must not begin with \"#:\" and a blank)", printable_prefix(word, kShown),
                  near.empty() ? fmt::format("; there are {}", fmt::join(words(), ", ")) : fmt::format("; did you mean \"{}\"?", near)));
}

Expected<void> set_name(std::string_view name, Target& into) {
  if (!into.name.empty()) return failure("a target has one name: this is its second");
  if (name.empty()) return failure("a name is missing, as in \"name login\"");
  if (name.size() > kLongestName)
    return failure(fmt::format("name \"{}\" is longer than {} bytes", printable_prefix(name, kShown), kLongestName));
  if (printable(name) != name)
    return failure(fmt::format("name \"{}\" has characters in it that can't be shown", printable_prefix(name, kShown)));
  into.name = name;
  return {};
}

Expected<void> set_weight(std::string_view digits, TargetRules rules, Target& into) {
  if (!rules.weights)
    return failure("a weight is for a list that is sent round and round, and with -lazy each target is sent once; leave one out");
  if (into.weight != 0) return failure("a target has one weight: this is its second");
  std::uint32_t weight = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, weight);
  if (digits.empty() || error != std::errc() || stopped != end || weight == 0 || weight > kHeaviestTarget)
    return failure(fmt::format("weight \"{}\" is not a whole number from 1 to {}", printable_prefix(digits, kShown), kHeaviestTarget));
  into.weight = weight;
  return {};
}

}  // namespace thrum::targets
