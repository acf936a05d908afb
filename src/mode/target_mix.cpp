#include "mode/target_mix.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/shares.hpp"

namespace thrum::mode {
namespace {

// Those that share a name, or have none and share method and URL, are one.
std::vector<TargetPart> parts_of(std::span<const Target> targets, bool by_weight) {
  std::vector<TargetPart> parts;
  std::unordered_map<std::string, std::size_t> known;
  for (const Target& t : targets) {
    TargetPart part{t.name, t.method, t.url, by_weight ? std::max<std::uint64_t>(1, t.weight) : 1};
    const auto [at, is_new] = known.emplace(report::label_of(part), parts.size());
    if (is_new)
      parts.push_back(std::move(part));
    else
      parts[at->second].weight += part.weight;
  }
  return parts;
}

}  // namespace

TargetMix mix_of(const AttackOptions& options, std::span<const Target> targets) {
  const bool has_names = std::ranges::any_of(targets, [](const Target& t) { return !t.name.empty(); });
  const bool has_weights = std::ranges::any_of(targets, [](const Target& t) { return t.weight != 0; });
  TargetMix mix;
  if (!has_names && (targets.size() < 2 || (!has_weights && !options.order))) return mix;
  const Order order = order_of(options, targets);
  mix.order = name_of(order);
  mix.parts = parts_of(targets, order == Order::weighted);
  if (mix.parts.size() <= TargetMix::kMostParts) return mix;
  // The lightest that still has a part: all that are heavier have one, and of those as heavy the first.
  std::vector<std::uint64_t> weights;
  for (const TargetPart& part : mix.parts) weights.push_back(part.weight);
  const auto last = weights.begin() + (TargetMix::kMostParts - 1);
  std::ranges::nth_element(weights, last, std::greater<>());
  const std::uint64_t lightest = *last;
  std::size_t room = TargetMix::kMostParts;
  for (const std::uint64_t w : weights) room -= w > lightest ? 1 : 0;
  std::erase_if(mix.parts, [&](const TargetPart& part) {
    if (part.weight > lightest) return false;
    if (part.weight == lightest && room > 0) return --room, false;
    ++mix.others;
    mix.others_weight += part.weight;
    return true;
  });
  return mix;
}

}  // namespace thrum::mode
