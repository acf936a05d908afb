// Which share of a run's hits each target got, beside the one it was to get. Results belong to a target by its name or, if it has none,
// by method and URL.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "measure/memo.hpp"
#include "record/file_header.hpp"
#include "report/json_text.hpp"
#include "thrum/result.hpp"

namespace thrum::report {

// Of a target, or of all that have no part of their own.
struct Share {
  TargetPart part;
  std::uint64_t count = 0;       // results
  double wanted = 0, share = 0;  // of all, 0 … 1
};

struct ShareTable {
  std::string order;
  std::vector<Share> rows;         // as in the list of targets; empty: nothing is known of a mix
  Share others;                    // results of targets that have no row, or of none in the list
  std::uint64_t others_count = 0;  // how many targets those are
};

// The part of a target in its list; what stands for it where it has no name.
std::string label_of(const TargetPart& part);

class ShareSplit {
 public:
  explicit ShareSplit(TargetMix mix);
  void add(std::span<const Result> results);
  ShareTable table() const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  TargetMix mix_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> index_;  // by label, into mix_.parts
  Memo<std::size_t> known_;                                                    // the same
  std::vector<std::uint64_t> counts_;                                          // of the parts, then of the others
  std::string key_;                                                            // room for one that is put together
};

// A line for each target under a head, in tab-ended cells. `run`: its name, where there are several.
std::string share_rows(const ShareTable& table, std::string_view run);
// "order" and "targets" of an object that is open.
void share_fields(const ShareTable& table, JsonWriter& w);

}  // namespace thrum::report
