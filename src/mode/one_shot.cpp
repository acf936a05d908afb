#include "mode/one_shot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mode/guarding.hpp"
#include "mode/open_attacker.hpp"
#include "mode/proxy_environment.hpp"
#include "targets/url_guess.hpp"
#include "thrum/watcher.hpp"

namespace thrum::mode {

// On the sending thread, which is over when it is asked.
class OneShot::Watcher final : public ConnectionWatcher {
 public:
  void on_connection(const ConnectionFacts& facts) override {
    connection = facts.peer + (facts.is_http2 ? ", HTTP/2" : ", HTTP/1.1");
    if (!facts.proxy.empty()) connection += ", by " + facts.proxy;
    if (!facts.tls.empty()) connection += ", " + facts.tls;
  }
  void on_sent(std::string_view bytes) override {
    if (answers_) sent.clear(), has_head_ = false;
    answers_ = false;
    if (has_head_) return;
    sent += bytes.substr(0, kMostHead - std::min(kMostHead, sent.size()));
    const std::size_t end = sent.find("\r\n\r\n");
    has_head_ = end != sent.npos || sent.size() >= kMostHead;
    if (end != sent.npos) sent.erase(end + 2);
  }
  void on_received(std::string_view) override { answers_ = true; }
  void on_end(std::uint64_t) override {}

  std::string connection, sent;

 private:
  static constexpr std::size_t kMostHead = 64 * 1024;
  bool has_head_ = false, answers_ = false;
};

OneShot::OneShot(RunRequest request) : request_(std::move(request)), watcher_(std::make_unique<Watcher>()) {}
OneShot::~OneShot() = default;

Expected<std::unique_ptr<OneShot>> OneShot::prepare(RunRequest request) {
  std::unique_ptr<OneShot> shot(new OneShot(std::move(request)));
  if (auto opened = shot->open(); !opened) return std::unexpected(std::move(opened.error()));
  return shot;
}

Expected<void> OneShot::open() {
  if (auto guess = targets::guessed_url(request_.url); guess && !request_.url.empty()) request_.url = std::move(*guess);
  AttackRequest& attack = request_.attack;
  if (attack.heeds_environment) add_environment(attack.options.proxy, environment_variable);
  if (auto settled = settle(request_, 1); !settled) return settled;
  if (auto checked = check(attack); !checked) return checked;
  if (auto within = check_target(attack.guard, {.url = request_.url}); !within) return within;
  AttackOptions& o = attack.options;
  o.shape = Shape::closed();
  o.hits = o.max_workers = o.workers = o.shards = 1;
  o.duration = o.warmup = Nanos(0);
  o.warmup_shape.reset();
  o.preconnect = 0;
  o.capture_headers = true;
  attack.max_body = kMostBody;
  attack.seed.reset();  // nothing is drawn
  o.watcher = watcher_.get();
  if (auto within = hold_to_guard(attack); !within) return within;
  auto target = target_of(request_);
  if (!target) return std::unexpected(std::move(target.error()));
  auto opened = open_attacker(attack, std::move(*target));
  if (!opened) return std::unexpected(std::move(opened.error()));
  attacker_ = std::move(opened->attacker);
  return {};
}

Expected<ShotAnswer> OneShot::send() {
  const auto summary = attacker_->run(static_cast<ResultSink&>(*this));
  if (!summary) return std::unexpected(summary.error());
  answer_.connection = std::move(watcher_->connection);
  answer_.sent = std::move(watcher_->sent);
  return std::move(answer_);
}

void OneShot::cut() { attacker_->cut(); }

Expected<void> OneShot::take(std::span<const Result> results) {
  for (const Result& r : results) {
    answer_.status = r.code != 0 ? r.code : r.seen_status;
    answer_.error = r.error;
    answer_.latency = r.latency;
    for (const Nanos phase : {r.dns, r.connect, r.tls})
      if (phase != Result::kNone) answer_.connecting += phase;
    if (r.first_byte != Result::kNone) answer_.first_byte = r.first_byte;
    answer_.bytes = r.bytes_in;
    for (const Header& h : r.headers) answer_.headers.emplace_back(h.name, h.value);
    if (r.body) answer_.body = *r.body;
  }
  return {};
}

}  // namespace thrum::mode
