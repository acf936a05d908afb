#include "load/division.hpp"

namespace thrum::load {

std::uint64_t Share::next(std::uint64_t n) const {
  const auto after = std::ranges::upper_bound(divisions_, n, {}, &Division::from);
  for (auto i = static_cast<std::size_t>(after - divisions_.begin()) - 1; i < divisions_.size(); ++i) {
    const Division& d = divisions_[i];
    if (shard_ >= d.shards) continue;
    const std::uint64_t passed = n > d.from + shard_ ? n - d.from - shard_ : 0;  // since its first in the division
    const std::uint64_t turns = passed / d.shards + (passed % d.shards == 0 ? 0 : 1);
    const std::uint64_t first = d.from + shard_;
    if (turns > (kNone - first) / d.shards) return kNone;
    if (const std::uint64_t hit = first + turns * d.shards; hit < end_of(i)) return hit;
  }
  return kNone;
}

std::uint64_t Share::before(std::uint64_t hits) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < divisions_.size() && divisions_[i].from < hits; ++i)
    sum += in(divisions_[i], std::min(hits, end_of(i)) - divisions_[i].from);
  return sum;
}

}  // namespace thrum::load
