#include "measure/error_kinds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace thrum {

void ErrorKinds::find_or_add(std::string_view error, std::uint64_t row) {
  if (const auto known = index_.find(error); known != index_.end()) {
    last_ = known->second;
    ++kinds_[last_].count;
  } else if (kinds_.size() >= kMostKinds || bytes_ + error.size() > kMostBytes) {
    ++others_;
  } else {
    last_ = kinds_.size();
    bytes_ += error.size();
    kinds_.push_back({std::string(error), 1, row});
    index_.emplace(error, last_);
  }
}

void ErrorKinds::merge(const ErrorKinds& other) {
  others_ += other.others_;
  if (other.kinds_.empty()) return;
  // A kind that both know stays on the side that saw it first.
  std::vector<Metrics::ErrorCount> theirs;
  std::vector<bool> gone(kinds_.size());
  for (const Metrics::ErrorCount& kind : other.kinds_) {
    const auto known = index_.find(kind.text);
    if (known == index_.end()) {
      theirs.push_back(kind);
    } else if (Metrics::ErrorCount& ours = kinds_[known->second]; kind.first < ours.first) {
      theirs.push_back({kind.text, kind.count + ours.count, kind.first});
      gone[known->second] = true;
    } else {
      ours.count += kind.count;
    }
  }
  std::vector<Metrics::ErrorCount> ours, merged;
  for (std::size_t i = 0; i < kinds_.size(); ++i)
    if (!gone[i]) ours.push_back(std::move(kinds_[i]));
  std::merge(std::make_move_iterator(ours.begin()), std::make_move_iterator(ours.end()), std::make_move_iterator(theirs.begin()),
             std::make_move_iterator(theirs.end()), std::back_inserter(merged),
             [](const Metrics::ErrorCount& a, const Metrics::ErrorCount& b) { return a.first < b.first; });
  kinds_.clear();
  index_.clear();
  bytes_ = 0;
  last_ = 0;
  for (Metrics::ErrorCount& kind : merged) {
    if (kinds_.size() >= kMostKinds || bytes_ + kind.text.size() > kMostBytes) {
      others_ += kind.count;
      continue;
    }
    bytes_ += kind.text.size();
    index_.emplace(kind.text, kinds_.size());
    kinds_.push_back(std::move(kind));
  }
}

}  // namespace thrum
