#include "mode/guarding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "http/url.hpp"

namespace thrum::mode {
namespace {

Nanos end_of(const AttackOptions& o) {
  const auto length = o.shape.length();
  if (!length) return o.duration;
  return o.duration > Nanos(0) ? std::min(o.duration, *length) : *length;
}

// Of the warm-up, which is sent besides; none: no telling.
std::optional<std::uint64_t> warmup_hits(const AttackOptions& o) {
  if (o.warmup == Nanos(0)) return 0;
  if (o.shape.is_closed()) return std::nullopt;
  if (o.warmup_shape) return o.warmup_shape->hits_before(o.warmup);
  // At the rate with which the attack begins.
  return static_cast<std::uint64_t>(std::ceil(o.shape.rate_at(Nanos(0)) * static_cast<double>(o.warmup.count()) / 1e9));
}

std::optional<double> highest_rate(const AttackOptions& o) {
  const auto rate = peak_of(o.shape);
  if (!rate || !o.warmup_shape) return rate;
  const auto before = peak_of(*o.warmup_shape);
  if (!before) return std::nullopt;
  return std::max(*rate, *before);
}

void cap_concurrency(AttackOptions& o, std::uint64_t most) {
  if (o.max_workers == kUnlimited) o.max_workers = most;
  o.workers = std::min(o.workers, o.max_workers);
}

class GuardedTargets final : public TargetSource {
 public:
  GuardedTargets(std::unique_ptr<TargetSource> source, const settings::Guard& guard) : source_(std::move(source)), guard_(guard) {}

  Expected<bool> next(Target& into) override {
    auto more = source_->next(into);
    if (!more || !*more) return more;
    if (auto within = check_target(guard_, into); !within) return std::unexpected(std::move(within.error()));
    return true;
  }
  void interrupt() override { source_->interrupt(); }

 private:
  std::unique_ptr<TargetSource> source_;
  const settings::Guard& guard_;
};

}  // namespace

std::optional<std::uint64_t> most_hits(const AttackOptions& o) {
  std::uint64_t hits = o.hits;
  if (const Nanos end = end_of(o); end > Nanos(0) && !o.shape.is_closed() && !o.shape.is_random())
    hits = std::min(hits, o.shape.hits_before(end));
  // What is drawn has no highest number: the count is capped.
  if (o.shape.is_random() && end_of(o) > Nanos(0)) hits = std::min(hits, static_cast<std::uint64_t>(o.shape.expected(end_of(o))));
  const auto before = warmup_hits(o);
  if (hits == kUnlimited || !before) return std::nullopt;
  return hits + *before;
}

std::optional<double> peak_of(const Shape& shape) {
  if (shape.is_closed()) return std::nullopt;
  return shape.peak();
}

Expected<void> hold_to_guard(AttackRequest& request) {
  const settings::Guard& guard = request.guard;
  AttackOptions& o = request.options;
  if (!guard.is_set()) return {};
  if (guard.most_concurrency() != kUnlimited) cap_concurrency(o, guard.most_concurrency());
  if (auto within = guard.check({.requests = most_hits(o), .rate = highest_rate(o), .concurrency = o.max_workers}); !within) return within;
  const bool may_grow = !request.control.empty() || o.shape.is_random();
  if (may_grow && guard.most_requests() != kUnlimited) o.hits = std::min(o.hits, guard.most_requests() - warmup_hits(o).value_or(0));
  return {};
}

Expected<void> hold_to_guard(AttackRequest& request, SearchOptions& search) {
  const settings::Guard& guard = request.guard;
  if (guard.most_requests() != kUnlimited)
    return usage_error(
        fmt::format("-max-requests={}: how many requests a search takes is not known before; leave it out", guard.most_requests()));
  if (const auto most = guard.most_rate()) {
    if (search.from > *most) return usage_error(fmt::format("-from is above -max-rate={:g}/s; one of them has to change", *most));
    search.most = std::min(search.most, *most);
  }
  if (guard.most_concurrency() == kUnlimited) return {};
  cap_concurrency(request.options, guard.most_concurrency());
  return guard.check({.requests = 0, .rate = 0, .concurrency = request.options.max_workers});
}

Expected<void> check_target(const settings::Guard& guard, const Target& target) {
  if (!guard.has_hosts()) return {};
  const auto url = http::parse_url(target.url);
  if (!url) return std::unexpected(url.error());
  return guard.check_host(url->host);
}

Expected<void> check_connect_to(const AttackRequest& request) {
  for (const ConnectTo& entry : request.options.connect_to)
    if (!entry.to_host.empty())
      if (auto within = request.guard.check_host(entry.to_host); !within)
        return usage_error("-connect-to: " + std::move(within.error().text));
  return {};
}

std::unique_ptr<TargetSource> guarded(std::unique_ptr<TargetSource> source, const settings::Guard& guard) {
  return std::make_unique<GuardedTargets>(std::move(source), guard);
}

}  // namespace thrum::mode
