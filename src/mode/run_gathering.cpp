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
  OfShard(MetricsOptions judging, bool is_watched, const Attacker& attacker) : tally_(judging, is_watched), attacker_(attacker) {}
  ~OfShard() override {
    delete mailbox_.load();
    delete copy_.load();
  }

  Expected<void> take(std::span<const Result> results) override {
    if (!has_begun_) tally_.begin(attacker_.progress().started);
    has_begun_ = true;
    each_counted(results, [this](std::span<const Result> part) { tally_.add(part); });
    return {};
  }
  Expected<void> tick() override {
    if (tally_.has_block() && mailbox_.load(std::memory_order_relaxed) == nullptr)
      mailbox_.store(new RunBlock(tally_.take_block()), std::memory_order_release);
    if (wants_copy_.load(std::memory_order_relaxed) && wants_copy_.exchange(false, std::memory_order_acquire))
      copy_.store(new RunTally(tally_), std::memory_order_release);
    return {};
  }
  std::unique_ptr<RunBlock> collect() { return std::unique_ptr<RunBlock>(mailbox_.exchange(nullptr, std::memory_order_acquire)); }
  void ask_for_copy() { wants_copy_.store(true, std::memory_order_release); }
  std::unique_ptr<RunTally> copy() { return std::unique_ptr<RunTally>(copy_.exchange(nullptr, std::memory_order_acquire)); }
  RunTally& tally() { return tally_; }

 private:
  RunTally tally_;
  const Attacker& attacker_;
  bool has_begun_ = false;
  std::atomic<RunBlock*> mailbox_{nullptr};
  std::atomic<bool> wants_copy_{false};
  std::atomic<RunTally*> copy_{nullptr};
};

RunGathering::RunGathering(MetricsOptions judging, bool is_watched, Hooks hooks)
    : judging_(judging), is_watched_(is_watched), hooks_(std::move(hooks)), tally_(judging, is_watched) {}
RunGathering::~RunGathering() = default;

ResultSink& RunGathering::sink_of(std::uint32_t, std::uint32_t) {
  return *shards_.emplace_back(std::make_unique<OfShard>(judging_, is_watched_, *attacker_));
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
  add(tally_.take_block());
  const Progress p = attacker_->progress();
  if (p.warmup_left == Nanos(0)) peak_busy_ = std::max(peak_busy_, p.busiest_shard);
  watch(p.elapsed);
  return hooks_.tick ? hooks_.tick() : Expected<void>{};
}

void RunGathering::add(const RunBlock& block) {
  for (const RunSecond& second : block.seconds) seconds_.merge(second);
  if (is_watched_ && hooks_.show && !block.empty()) hooks_.show(block);
}

// Seconds that are over, in turn. One in which nothing ended at all is not there yet, or never will be: it is over with the next.
void RunGathering::watch(Nanos elapsed) {
  for (const RunSecond& s : seconds_.seconds()) {
    if (s.at < next_watched_) continue;
    if (Nanos((s.at + 1) * 1'000'000'000) + kHandedOverAfter > elapsed) break;
    next_watched_ = s.at + 1;
    if (hooks_.has_pause && hooks_.has_pause(s.at))
      watch_.resumed(next_watched_);
    else
      watch_.add(s);
  }
}

void RunGathering::ask_for_copies() {
  if (copies_ != nullptr) return;
  copies_ = std::make_unique<RunTally>(tally_);
  copies_left_ = shards_.size();
  for (const auto& shard : shards_) shard->ask_for_copy();
}

std::unique_ptr<RunTally> RunGathering::copied() {
  if (copies_ == nullptr) return nullptr;
  for (const auto& shard : shards_)
    if (const auto part = shard->copy()) {
      copies_->merge(*part);
      --copies_left_;
    }
  if (copies_left_ > 0) return nullptr;
  copies_->metrics().close();
  return std::move(copies_);
}

RunTally& RunGathering::finish() {
  for (const auto& shard : shards_) {
    if (const auto part = shard->collect()) add(*part);
    add(shard->tally().take_block());
    tally_.merge(shard->tally());
  }
  shards_.clear();
  add(tally_.take_block());
  tally_.metrics().close();
  return tally_;
}

}  // namespace thrum::mode
