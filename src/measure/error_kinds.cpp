#include "measure/error_kinds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace thrum {

namespace {

void add_target(std::uint64_t target, Metrics::ErrorCount& kind) {
  if (kind.targets.size() < Metrics::ErrorCount::kMostTargets && std::ranges::find(kind.targets, target) == kind.targets.end())
    kind.targets.push_back(target);
}

}  // namespace

void ErrorKinds::count(const Result& r, Metrics::ErrorCount& kind) {
  ++kind.count;
  if (r.timestamp.before(kind.first_sent)) kind.first_sent = r.timestamp;
  if (kind.last_sent.before(r.timestamp)) kind.last_sent = r.timestamp;
  add_target(std::hash<std::string_view>{}(r.url) ^ (std::hash<std::string_view>{}(r.method) * 31), kind);
}

void ErrorKinds::join(const Metrics::ErrorCount& other, Metrics::ErrorCount& kind) {
  kind.count += other.count;
  if (other.first_sent.before(kind.first_sent)) kind.first_sent = other.first_sent;
  if (kind.last_sent.before(other.last_sent)) kind.last_sent = other.last_sent;
  for (const std::uint64_t target : other.targets) add_target(target, kind);
}

void ErrorKinds::find_or_add(const Result& r, std::uint64_t row) {
  if (const auto known = index_.find(r.error); known != index_.end()) {
    last_ = known->second;
    count(r, kinds_[last_]);
  } else if (kinds_.size() >= kMostKinds || bytes_ + r.error.size() > kMostBytes) {
    ++others_;
  } else {
    last_ = kinds_.size();
    bytes_ += r.error.size();
    Metrics::ErrorCount& kind = kinds_.emplace_back();
    kind.text = r.error;
    kind.first = row;
    kind.first_sent = kind.last_sent = r.timestamp;
    count(r, kind);
    index_.emplace(r.error, last_);
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
      theirs.push_back(kind);
      join(ours, theirs.back());
      gone[known->second] = true;
    } else {
      join(kind, ours);
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
