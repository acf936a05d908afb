// Results in groups: by what they were sent to, by how, by what came back. Each group has all its figures exactly, however many
// results; the number of groups is bounded, whatever a results file holds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "measure/memo.hpp"
#include "thrum/error.hpp"
#include "thrum/histogram.hpp"
#include "thrum/result.hpp"

namespace thrum {

enum class GroupBy : std::uint8_t {
  url,     // without its fragment; by the rules, if one fits
  target,  // method and url
  name,    // the target's
  method,
  code,
  attack,
  host,
  run,
};

Expected<GroupBy> parse_group_by(std::string_view text);
std::string_view name_of(GroupBy by);

// URLs that count as one: "/user/:id" is every path of two segments whose first is "user". A segment :name or * stands for any
// one segment that is not empty; * as the last for all that follow, one at least. The first rule that fits names the group.
class GroupRules {
 public:
  // `text`: a path as above.
  Expected<void> add(std::string_view text);
  bool empty() const { return rules_.empty(); }
  // The rule that a path fits, as written; empty: none.
  std::string_view rule_for(std::string_view path) const;

 private:
  struct Rule {
    std::string text;
    std::vector<std::string> segments;
  };
  std::vector<Rule> rules_;
};

// What is said of one group.
struct Group {
  std::string name;
  std::uint64_t requests = 0, succeeded = 0, bytes_in = 0, bytes_out = 0;
  Histogram latencies;  // service latencies

  void add(const Result& result, bool success) {
    ++requests;
    succeeded += success;
    bytes_in += result.bytes_in;
    bytes_out += result.bytes_out;
    latencies.record(result.latency);
  }
  void merge(const Group& other);
};

struct GroupTable {
  GroupBy by = GroupBy::url;
  std::vector<Group> rows;         // the busiest first
  Group others;                    // of all that have no row
  std::uint64_t others_count = 0;  // how many groups those are, as far as they were told apart
  bool others_overflowed = false;  // more groups than could be told apart, so a busy latecomer may be among them
};

// The busiest `most` of `groups`, by number of results and then by place; the rest becomes the others.
GroupTable table_of(GroupBy by, std::vector<Group> groups, std::size_t most);

class Groups {
 public:
  // Told apart: so many, those seen first, and as long as their names are no longer than that together.
  static constexpr std::size_t kMostGroups = 1'000, kMostBytes = std::size_t{1} << 20;

  // Of anything but runs, which only the reader of results can tell apart.
  Groups(GroupBy by, GroupRules rules) : by_(by), rules_(std::move(rules)) {}

  void add(const Result& result, bool success);
  GroupTable table(std::size_t most) const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::string_view key_of(const Result& result);
  std::size_t group_of(std::string_view key);
  std::string name_of(std::string_view key) const;

  GroupBy by_;
  GroupRules rules_;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;  // by name, into groups_
  Memo<std::size_t> known_;                                                    // by key, into groups_
  std::string key_;                                                            // room for one that is put together
  std::size_t bytes_ = 0;
  Group rest_;  // of groups beyond the limits
};

}  // namespace thrum
