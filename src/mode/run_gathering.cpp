#include "mode/run_gathering.hpp"

#include <algorithm>
#include <utility>

namespace thrum::mode {
namespace {

// By then every thread has handed over what ended in a second that is over.
constexpr Nanos kHandedOverAfter{400'000'000};

// Calls with the parts that are not of the warm-up.
template <class Take>
void each_counted(std::span<const Result> results, Take take) {
  while (!results.empty()) {
    const bool is_warmup = results[0].is_warmup;
    const auto end = std::ranges::find_if(results, [=](const Result& r) { return r.is_warmup != is_warmup; });
    const auto part = results.first(static_cast<std::size_t>(end - results.begin()));
    results = results.subspan(part.size());
    if (!is_warmup) take(part);
  }
}

}  // namespace

// On the shard's thread but for collect(), and for tally() once that is over.
class RunGathering::OfShard final : public ResultSink {
 public:
  OfShard(MetricsOptions judging, const Attacker& attacker) : tally_(judging), attacker_(attacker) {}
  ~OfShard() override { delete mailbox_.load(); }

  Expected<void> take(std::span<const Result> results) override {
    if (!has_begun_) tally_.begin(attacker_.progress().started);
    has_begun_ = true;
    each_counted(results, [this](std::span<const Result> part) { tally_.add(part); });
    return {};
  }
  Expected<void> tick() override {
    if (tally_.has_seconds() && mailbox_.load(std::memory_order_relaxed) == nullptr)
      mailbox_.store(new std::vector<RunSecond>(tally_.take_seconds()), std::memory_order_release);
    return {};
  }
  std::unique_ptr<std::vector<RunSecond>> collect() {
    return std::unique_ptr<std::vector<RunSecond>>(mailbox_.exchange(nullptr, std::memory_order_acquire));
  }
  RunTally& tally() { return tally_; }

 private:
  RunTally tally_;
  const Attacker& attacker_;
  bool has_begun_ = false;
  std::atomic<std::vector<RunSecond>*> mailbox_{nullptr};
};

RunGathering::RunGathering(MetricsOptions judging, Hooks hooks) : judging_(judging), hooks_(std::move(hooks)), tally_(judging) {}
RunGathering::~RunGathering() = default;

ResultSink& RunGathering::sink_of(std::uint32_t, std::uint32_t) {
  return *shards_.emplace_back(std::make_unique<OfShard>(judging_, *attacker_));
}

Expected<void> RunGathering::take(std::span<const Result> results) {
  if (!has_begun_) tally_.begin(attacker_->progress().started);
  has_begun_ = true;
  each_counted(results, [this](std::span<const Result> part) { tally_.add(part); });
  return hooks_.take ? hooks_.take(results) : Expected<void>{};
}

Expected<void> RunGathering::tick() {
  for (const auto& shard : shards_)
    if (const auto part = shard->collect()) add(*part);
  add(tally_.take_seconds());
  const Progress p = attacker_->progress();
  if (p.warmup_left == Nanos(0)) peak_busy_ = std::max(peak_busy_, p.busiest_shard);
  watch(p.elapsed);
  return hooks_.tick ? hooks_.tick() : Expected<void>{};
}

void RunGathering::add(const std::vector<RunSecond>& part) {
  for (const RunSecond& second : part) seconds_.merge(second);
}

// Seconds that are over, in turn. One in which nothing ended at all is not there yet, or never will be: it is over with the next.
void RunGathering::watch(Nanos elapsed) {
  for (const RunSecond& s : seconds_.seconds()) {
    if (s.at < next_watched_) continue;
    if (Nanos((s.at + 1) * 1'000'000'000) + kHandedOverAfter > elapsed) break;
    watch_.add(s);
    next_watched_ = s.at + 1;
  }
}

RunTally& RunGathering::finish() {
  for (const auto& shard : shards_) {
    if (const auto part = shard->collect()) add(*part);
    add(shard->tally().take_seconds());
    tally_.merge(shard->tally());
  }
  shards_.clear();
  add(tally_.take_seconds());
  tally_.metrics().close();
  return tally_;
}

}  // namespace thrum::mode
