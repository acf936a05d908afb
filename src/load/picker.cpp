#include "load/picker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <queue>

#include "base/text.hpp"

namespace thrum {
namespace {

constexpr std::array<std::string_view, 4> kOrders{"sequence", "shuffle", "random", "weighted"};

}  // namespace

Expected<Order> parse_order(std::string_view text) {
  const auto known = std::ranges::find(kOrders, text);
  if (known == kOrders.end())
    return usage_error(fmt::format("order \"{}\" is not one of {}", printable_prefix(text, 40), fmt::join(kOrders, ", ")));
  return static_cast<Order>(known - kOrders.begin());
}

std::string_view name_of(Order order) { return kOrders[static_cast<std::size_t>(order)]; }

Order order_of(const AttackOptions& options, std::span<const Target> targets) {
  if (options.order) return *options.order;
  return std::ranges::any_of(targets, [](const Target& t) { return t.weight != 0; }) ? Order::weighted : Order::sequence;
}

}  // namespace thrum

namespace thrum::load {
namespace {

// 64 bits that look random (the finaliser of SplitMix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// From 64 such bits a number below `n`.
std::uint64_t below(std::uint64_t n, std::uint64_t bits) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits) * n >> 64);
}

// Other numbers than those that random arrivals draw from the same seed.
constexpr std::uint64_t kOwnDraws = 0x6F72646572206F66U;

constexpr unsigned kTurns = 12;  // half of them of rows, half of columns; small lists need them all to be shuffled well

// The turn of target i that comes after `given` others of its own may be any slot from given * W / w (W the cycle's length, w its
// weight) up to (given + 1) * W / w. Of those that may go, that with the nearest end goes: then each has its turn within its
// bounds, and so is never a whole hit off its share (Tijdeman, "The chairman assignment problem"; in scheduling: Pfair).
struct Turn {
  std::uint64_t end, lot;  // what ends at the same time goes by lot
  std::uint32_t target;
  bool operator>(const Turn& o) const { return end != o.end ? end > o.end : lot > o.lot; }
};
struct Coming {
  std::uint64_t from;
  std::uint32_t target;
  bool operator>(const Coming& o) const { return from > o.from; }
};

template <class T>
using Soonest = std::priority_queue<T, std::vector<T>, std::greater<>>;

std::vector<std::uint32_t> cycle_of(std::span<const std::uint64_t> weights, std::uint64_t length, std::uint64_t seed) {
  Soonest<Turn> ready;
  Soonest<Coming> coming;
  std::vector<std::uint64_t> given(weights.size());
  const auto make_ready = [&](std::uint32_t target) {
    const std::uint64_t end = ((given[target] + 1) * length + weights[target] - 1) / weights[target];
    ready.push({end, mixed(seed ^ mixed(target)), target});
  };
  for (std::uint32_t i = 0; i < weights.size(); ++i) make_ready(i);
  std::vector<std::uint32_t> cycle;
  cycle.reserve(length);
  while (cycle.size() < length) {
    for (; !coming.empty() && coming.top().from <= cycle.size(); coming.pop()) make_ready(coming.top().target);
    const std::uint32_t next = ready.top().target;
    ready.pop();
    cycle.push_back(next);
    if (++given[next] < weights[next]) coming.push({given[next] * length / weights[next], next});
  }
  return cycle;
}

}  // namespace

Expected<Picker> Picker::make(Order order, std::span<const std::uint32_t> weights, std::uint64_t seed) {
  if (weights.empty()) return failure("no targets to attack");
  Picker picker;
  picker.order_ = weights.size() == 1 ? Order::sequence : order;
  picker.targets_ = weights.size();
  picker.seed_ = mixed(seed ^ kOwnDraws);
  // A little larger than needed, always: a grid that is filled to its last place has shuffles that can't come about.
  while (picker.columns_ * picker.columns_ < picker.targets_) ++picker.columns_;
  picker.rows_ = picker.targets_ / picker.columns_ + 1;
  if (picker.order_ != Order::weighted) return picker;

  std::vector<std::uint64_t> parts;
  std::uint64_t common = 0, sum = 0;
  for (const std::uint32_t w : weights) common = std::gcd(common, parts.emplace_back(std::max<std::uint64_t>(1, w)));
  for (std::uint64_t& part : parts) sum += part /= common;
  if (sum > kLongestCycle)
    return failure(fmt::format("the weights of the targets add up to {} (in lowest terms), and more than {} is too much; give smaller ones",
                               sum, kLongestCycle));
  picker.cycle_ = cycle_of(parts, sum, picker.seed_);
  return picker;
}

// Each row is turned by a number drawn for it, then each column, and so on: every turn is a permutation of the grid's places, so all
// of them together are one. Of places that hold no target the walk goes on, and ends on one that does.
std::size_t Picker::shuffled(std::uint64_t round, std::uint64_t place) const {
  const std::uint64_t key = mixed(seed_ + round);
  do {
    std::uint64_t row = place / columns_, column = place % columns_;
    for (unsigned turn = 0; turn < kTurns; ++turn) {
      const bool is_of_row = turn % 2 == 0;
      const std::uint64_t size = is_of_row ? columns_ : rows_;
      const std::uint64_t bits = mixed(key ^ ((is_of_row ? row : column) * kTurns + turn));
      std::uint64_t& moved = is_of_row ? column : row;
      moved += below(size, bits);
      if (moved >= size) moved -= size;
    }
    place = row * columns_ + column;
  } while (place >= targets_);
  return place;
}

std::size_t Picker::drawn(std::uint64_t hit) const { return below(targets_, mixed(seed_ + hit)); }

}  // namespace thrum::load
