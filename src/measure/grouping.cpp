#include "measure/grouping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "base/text.hpp"
#include "measure/url_view.hpp"

namespace thrum {
namespace {

constexpr std::array<std::string_view, 8> kNames{"url", "target", "name", "method", "code", "attack", "host", "run"};
constexpr std::size_t kRest = std::numeric_limits<std::size_t>::max();  // in place of a group's number

// Takes the first segment off a path that begins with a slash.
std::string_view take_segment(std::string_view& path) {
  const std::string_view segment = path.substr(1, path.find('/', 1) - 1);
  path.remove_prefix(1 + segment.size());
  return segment;
}

bool is_any(std::string_view segment) { return segment == "*" || (segment.size() > 1 && segment.starts_with(':')); }

bool fits(const std::vector<std::string>& segments, std::string_view path) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (path.empty()) return false;
    if (segments[i] == "*" && i + 1 == segments.size()) return path.size() > 1;
    const std::string_view segment = take_segment(path);
    if (is_any(segments[i]) ? segment.empty() : segment != segments[i]) return false;
  }
  return path.empty();
}

}  // namespace

Expected<GroupBy> parse_group_by(std::string_view text) {
  const auto at = std::find(kNames.begin(), kNames.end(), text);
  if (at == kNames.end())
    return usage_error(
        fmt::format("-by: results can't be grouped by \"{}\"; there are {}", printable_prefix(text, 40), fmt::join(kNames, ", ")));
  return static_cast<GroupBy>(at - kNames.begin());
}

std::string_view name_of(GroupBy by) { return kNames[static_cast<std::size_t>(by)]; }

Expected<void> GroupRules::add(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return usage_error(
        fmt::format("-group: bad rule \"{}\": {}; a rule is a path such as /user/:id or /static/*", printable_prefix(text, 60), why));
  };
  if (!text.starts_with('/')) return bad("it does not begin with /");
  if (text.find_first_of("?#") != text.npos) return bad("queries and fragments are no part of it");
  Rule rule{std::string(text), {}};
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view segment = take_segment(rest);
    if (segment == ":") return bad("a : needs a name");
    rule.segments.emplace_back(segment);
  }
  rules_.push_back(std::move(rule));
  return {};
}

std::string_view GroupRules::rule_for(std::string_view path) const {
  if (!path.starts_with('/')) return {};
  const auto at = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& rule) { return fits(rule.segments, path); });
  return at == rules_.end() ? std::string_view() : at->text;
}

void Group::merge(const Group& other) {
  requests += other.requests;
  succeeded += other.succeeded;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  latencies.merge(other.latencies);
}

GroupTable table_of(GroupBy by, std::vector<Group> groups, std::size_t most) {
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.requests > b.requests; });
  GroupTable table;
  table.by = by;
  for (std::size_t i = most; i < groups.size(); ++i) {
    table.others.merge(groups[i]);
    ++table.others_count;
  }
  if (groups.size() > most) groups.resize(most);
  table.rows = std::move(groups);
  return table;
}

// What decides on the group, cheap to get at: a view into the result, or into key_.
std::string_view Groups::key_of(const Result& result) {
  switch (by_) {
    case GroupBy::url:
      return result.url;
    case GroupBy::target:
      ((key_ = result.method) += ' ') += result.url;
      return key_;
    case GroupBy::method:
      return result.method;
    case GroupBy::code:
      key_.clear();
      fmt::format_to(std::back_inserter(key_), "{}", result.code);
      return key_;
    case GroupBy::attack:
      return result.attack;
    case GroupBy::name:
      return result.name;
    case GroupBy::host:
      return view_of(result.url).host;
    case GroupBy::run:
      break;
  }
  return {};
}

// The group's name for a key: only of URLs are there several that share one.
std::string Groups::name_of(std::string_view key) const {
  if (by_ != GroupBy::url && by_ != GroupBy::target) return std::string(key);
  const std::size_t method_end = by_ == GroupBy::target ? key.find(' ') + 1 : 0;
  const std::string_view method = key.substr(0, method_end), whole = key.substr(method_end);
  const UrlView url = view_of(whole);
  if (const std::string_view rule = rules_.rule_for(url.path); !rule.empty()) return fmt::format("{}{}{}", method, url.origin, rule);
  return fmt::format("{}{}", method, whole.substr(0, whole.find('#')));
}

std::size_t Groups::group_of(std::string_view key) {
  std::string name = name_of(key);
  if (const auto known = index_.find(name); known != index_.end()) return known->second;
  if (groups_.size() >= kMostGroups || bytes_ + name.size() > kMostBytes) return kRest;
  bytes_ += name.size();
  index_.emplace(name, groups_.size());
  groups_.emplace_back().name = std::move(name);
  return groups_.size() - 1;
}

void Groups::add(const Result& result, bool success) {
  const std::size_t group = known_.get(key_of(result), [&](std::string_view key) { return group_of(key); });
  (group == kRest ? rest_ : groups_[group]).add(result, success);
}

GroupTable Groups::table(std::size_t most) const {
  GroupTable table = table_of(by_, groups_, most);
  table.others_overflowed = rest_.requests > 0;
  table.others.merge(rest_);
  return table;
}

}  // namespace thrum
