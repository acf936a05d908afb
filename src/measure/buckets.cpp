#include "measure/buckets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace thrum {

Expected<std::vector<Nanos>> parse_buckets(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    return usage_error(fmt::format("bad buckets \"{}\": write them like [0,5ms,25ms,1s]", printable_prefix(text, 60)));
  std::vector<Nanos> bounds;
  std::string_view rest = text.substr(1, text.size() - 2);
  while (true) {
    const std::size_t comma = rest.find(',');
    const Expected<Nanos> bound = parse_duration(trim(rest.substr(0, comma)));
    if (!bound) return usage_error(fmt::format("bad buckets \"{}\": {}", printable_prefix(text, 60), bound.error().text));
    if (bounds.empty() && *bound > Nanos(0)) bounds.emplace_back(0);
    bounds.push_back(*bound);
    if (comma == rest.npos) return bounds;
    rest.remove_prefix(comma + 1);
  }
}

BucketCounts::BucketCounts(std::vector<Nanos> bounds)
    : bounds_(std::move(bounds)), counts_(bounds_.size()), ascending_(std::is_sorted(bounds_.begin(), bounds_.end())) {}

// The first bucket that holds the value; the last for what none does, which is what vegeta does with values below the first.
std::size_t BucketCounts::bucket_of(Nanos value) const {
  const std::size_t last = bounds_.size() - 1;
  if (ascending_) {
    const auto above = std::upper_bound(bounds_.begin(), bounds_.end(), value);
    return above == bounds_.begin() ? last : static_cast<std::size_t>(above - bounds_.begin()) - 1;
  }
  for (std::size_t i = 0; i < last; ++i)
    if (bounds_[i] <= value && value < bounds_[i + 1]) return i;
  return last;
}

void BucketCounts::merge(const BucketCounts& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
}

}  // namespace thrum
