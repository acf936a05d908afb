// The guardrails around an attack: what is about to be sent is held to them before anything is.
#pragma once

#include <memory>
#include <optional>

#include "mode/attack.hpp"
#include "mode/capacity_search.hpp"
#include "thrum/target.hpp"

namespace thrum::mode {

// How many requests an attack sends at most, its warm-up's included; none: no telling.
std::optional<std::uint64_t> most_hits(const AttackOptions& options);
// The highest rate of a shape; none: it has none, as a closed loop.
std::optional<double> peak_of(const Shape& shape);

// Checks count, rate and concurrency of an attack. A limit of requests in flight that nobody has asked for is lowered to what is allowed;
// where a rate can be changed, or arrivals are drawn, the count of hits is capped, so that there are never more.
Expected<void> hold_to_guard(AttackRequest& request);
// Of a search for the highest rate, which is bounded by what is allowed.
Expected<void> hold_to_guard(AttackRequest& request, SearchOptions& search);

Expected<void> check_target(const settings::Guard& guard, const Target& target);
// Where -connect-to leads is a host, too.
Expected<void> check_connect_to(const AttackRequest& request);
// Targets that are read in the course of an attack: one out of bounds ends it, unsent. The guard outlives the source.
std::unique_ptr<TargetSource> guarded(std::unique_ptr<TargetSource> source, const settings::Guard& guard);

}  // namespace thrum::mode
