#include "mode/once.hpp"

#include <algorithm>

#include "mode/exchange_text.hpp"
#include "mode/open_attacker.hpp"
#include "mode/proxy_environment.hpp"
#include "mode/standard_streams.hpp"

namespace thrum::mode {
namespace {

constexpr std::int64_t kBodyShown = 4096;

class Once final : public Attack, private ResultSink {
 public:
  Once(AttackRequest request, AttackHooks hooks)
      : request_(std::move(request)), hooks_(std::move(hooks)), text_(request_.max_body.value_or(kBodyShown)) {}

  Expected<void> prepare() {
    if (request_.heeds_environment) add_environment(request_.options.proxy, environment_variable);
    AttackOptions& o = request_.options;
    o.shape = Shape::closed();
    o.max_workers = o.workers = o.shards = 1;
    o.duration = Nanos(0);
    o.watcher = &text_;
    request_.lazy = true;  // each target once, in order
    request_.capture_body = false;
    request_.max_body.reset();
    if (auto checked = check(request_); !checked) return checked;
    if (auto open = check_targets_stream(request_); !open) return open;
    if (auto open = check_stdout(); !open) return open;
    // Each target once, one after the other: there is no rate to be held to.
    if (request_.guard.most_requests() != kUnlimited) o.hits = std::min(o.hits, request_.guard.most_requests());
    auto opened = open_attacker(request_);
    if (!opened) return std::unexpected(std::move(opened.error()));
    attacker_ = std::move(opened->attacker);
    for (const std::string_view line : without_effect(request_)) hooks_.warn(line);
    return {};
  }

  Expected<AttackEnd> run() override {
    const auto summary = attacker_->run(*this);
    if (!summary) return std::unexpected(summary.error());
    return AttackEnd::done;
  }
  void stop() override { attacker_->stop(); }
  void cut() override { attacker_->cut(); }

 private:
  Expected<void> take(std::span<const Result> results) override {
    for (const Result& r : results)
      if (auto printed = hooks_.print(text_.take(r)); !printed) return printed;
    return {};
  }

  AttackRequest request_;
  AttackHooks hooks_;
  ExchangeText text_;
  std::unique_ptr<Attacker> attacker_;
};

}  // namespace

Expected<std::unique_ptr<Attack>> prepare_once(AttackRequest request, AttackHooks hooks) {
  auto once = std::make_unique<Once>(std::move(request), std::move(hooks));
  if (auto ready = once->prepare(); !ready) return std::unexpected(std::move(ready.error()));
  return once;
}

}  // namespace thrum::mode
