// The attacker: makes a plan, runs its shards, collects what they say.
#include "thrum/attacker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <system_error>
#include <utility>

#include "host/background.hpp"
#include "host/counters.hpp"
#include "host/limits.hpp"
#include "load/collector.hpp"
#include "load/crew.hpp"
#include "load/feeder.hpp"
#include "load/limit.hpp"
#include "load/plan.hpp"
#include "load/rate.hpp"
#include "load/schedule.hpp"
#include "net/local_addresses.hpp"
#include "net/tls.hpp"

namespace thrum {
namespace {

void add_address(std::vector<AddressCount>& all, std::string address, std::uint64_t connections) {
  const auto known = std::ranges::find(all, address, &AddressCount::address);
  if (known != all.end())
    known->connections += connections;
  else
    all.push_back({std::move(address), connections});
}

using load::Collector;
using load::Feeder;
using load::Plan;

constexpr auto kTick = std::chrono::milliseconds(90);
constexpr std::chrono::nanoseconds kShortestNap = std::chrono::milliseconds(1), kLongestNap = std::chrono::milliseconds(45);
constexpr double kShardRate = 60'000;  // hits per second that one shard carries with ease

// Times that mean "for ever" are brought to where sums of them still fit.
void shorten(AttackOptions& o) {
  if (o.preconnect > 0) o.max_connections = o.preconnect;
  for (Nanos* time : {&o.duration, &o.timeout, &o.grace, &o.dns_ttl}) *time = std::min(*time, load::kForEver);
}

Timestamp wall_clock() { return Timestamp::from_unix(std::chrono::system_clock::now().time_since_epoch()); }

http::RequestDefaults defaults_of(const AttackOptions& o) { return {o.name, o.headers, o.body, o.keep_alive, o.chunked, o.compression}; }

Expected<void> check_preconnect(const AttackOptions& o) {
  if (o.preconnect == 0)
    return o.connect_rate.is_closed() ? Expected<void>()
                                      : usage_error("-connect-rate is how fast -preconnect opens connections: give -preconnect=N too");
  if (!o.keep_alive) return usage_error("-preconnect keeps its connections, and -keepalive=false keeps none; leave one out");
  if (o.max_connections != kUnlimited && o.max_connections != o.preconnect)
    return usage_error(fmt::format("-preconnect={} keeps to that many connections per host, -max-connections says {}; leave one out",
                                   o.preconnect, o.max_connections));
  if (o.connections < o.preconnect)
    return usage_error(
        fmt::format("-preconnect={} keeps that many connections, -connections={} fewer; raise that one", o.preconnect, o.connections));
  return {};
}

Expected<void> check_warmup(const AttackOptions& o) {
  if (o.warmup == Nanos(0)) return {};
  if (o.warmup < Nanos(0)) return usage_error("-warmup is a time before the attack and can't be negative");
  if (o.shape.is_closed() && o.warmup_shape)
    return usage_error("-warmup: a closed loop warms up with its own workers; give a time, as in -warmup=10s");
  if (!o.shape.is_closed() && !o.warmup_shape && o.shape.rate_at(Nanos(0)) <= 0)
    return usage_error("-warmup: the rate begins at 0; say at which to warm up, as in -warmup='50/s for 10s'");
  return {};
}

Expected<void> check(const AttackOptions& o) {
  if (o.shape.is_closed() && o.max_workers == kUnlimited)
    return usage_error("a rate of 0 (no limit) needs -max-workers: it says how many requests are in flight at once");
  if (o.max_workers == 0) return usage_error("-max-workers=0 would send nothing; give at least 1");
  if (o.max_connections == 0) return usage_error("-max-connections=0 would send nothing; give at least 1, or leave it out for no limit");
  if (o.streams > 0 && !o.http2) return usage_error("-streams is about HTTP/2 and -http2=false forbids it; leave one of them out");
  if (o.h2c && !o.http2) return usage_error("-h2c asks for HTTP/2 and -http2=false forbids it; leave one of them out");
  if (o.catch_up.mode == CatchUp::Mode::percent && o.catch_up.percent == 0)
    return usage_error("-catch-up=0% would never send what is late; say none");
  if (auto fine = http::Expectation::make(o.expect); !fine) return std::unexpected(fine.error());
  if (auto fine = check_warmup(o); !fine) return fine;
  if (auto fine = check_preconnect(o); !fine) return fine;
  if (auto fine = load::check_ways(o); !fine) return fine;
  // Files that were named are checked even when no target seems to need them: a slip shows before anything is sent. The
  // system's roots are left alone until a target needs them.
  const bool names_files = !o.tls.root_cert_files.empty() || !o.tls.cert_file.empty() || !o.tls.key_file.empty();
  if (names_files) return net::TlsClient::check(o.tls);
  return {};
}

std::uint32_t shards_for(const AttackOptions& o) {
  std::uint64_t n = o.shards;
  if (n == 0) {
    const double rate = o.shape.is_closed() ? 0 : o.shape.peak();
    const auto wanted = static_cast<std::uint64_t>(std::ceil(rate / kShardRate));
    n = std::clamp<std::uint64_t>(wanted, 1, std::max(1u, host::cores().usable()));
  }
  n = std::min({n, o.max_workers, o.max_connections, std::uint64_t{256}});
  return static_cast<std::uint32_t>(n);
}

class AttackerImpl final : public Attacker {
 public:
  explicit AttackerImpl(AttackOptions options) : plan_(std::make_unique<Plan>(std::move(options))) {}
  ~AttackerImpl() override {
    if (feeder_ != nullptr) feeder_->stop();  // its thread wakes shards
  }

  Expected<void> use(std::vector<Target> targets) {
    const auto defaults = defaults_of(plan_->options);
    std::vector<std::uint32_t> weights;
    for (const Target& target : targets) weights.push_back(target.weight);
    auto picker = load::Picker::make(order_of(plan_->options, targets), weights, plan_->options.seed);
    if (!picker) return std::unexpected(picker.error());
    plan_->picker = std::move(*picker);
    plan_->requests.reserve(targets.size());
    for (Target& target : targets) {
      auto prepared = http::prepare(target, defaults);
      if (!prepared) return std::unexpected(prepared.error());
      load::Request& request = plan_->requests.emplace_back();
      request.prepared = std::move(*prepared);
      request.name = std::move(target.name);
      auto expectation = plan_->expectations.target(target.expect);
      if (!expectation) return std::unexpected(expectation.error());
      request.expectation = std::move(*expectation);
      load::set_route(request, plan_->routes.intern(request.prepared.url));
      target = Target{};
    }
    return {};
  }

  Expected<void> use(std::unique_ptr<TargetSource> source, std::uint32_t shards) {
    feeder_ = std::make_unique<Feeder>(*plan_, std::move(source), defaults_of(plan_->options), shards);
    return {};
  }

  Expected<void> prepare(std::uint32_t shards) {
    const AttackOptions& o = plan_->options;
    if (o.duration.count() > 0) plan_->end = o.duration;
    if (const auto length = o.shape.length()) plan_->end = std::min(plan_->end, *length);
    if (o.grace != Result::kNone) plan_->grace = o.grace;
    auto local = load::local_addresses_of(o);
    if (!local) return std::unexpected(std::move(local.error()));
    plan_->local_addresses = std::move(*local);
    if (!o.shape.is_closed()) schedule_ = load::Schedule(o.shape, plan_->end);
    plan_->has_one_route = !plan_->is_lazy() && plan_->routes.size() == 1;
    return crew_.prepare(shards, feeder_.get());
  }

  Expected<Summary> run(ResultSink& sink) override { return run(&sink, nullptr); }
  Expected<Summary> run(ShardSinks& sinks) override { return run(nullptr, &sinks); }

  void stop() override {
    plan_->stop.store(true);
    if (feeder_) feeder_->interrupt();
    crew_.wake();
  }

  void cut() override {
    plan_->stop.store(true);
    plan_->cut.store(true);
    if (feeder_) feeder_->interrupt();
    crew_.wake();
  }

  Expected<Nanos> change_rate(Shape shape) override {
    if (shape.is_closed()) return failure("a rate of 0 (no limit) can't be changed to: a closed loop has no schedule");
    if (shape.is_random() != plan_->options.shape.is_random())
      return failure(shape.is_random() ? "hits are due evenly in this attack, and stay so: leave out poisson"
                                       : "hits are due at random in this attack, and stay so: say poisson");
    return change(load::Change::Kind::rate, std::move(shape));
  }
  Expected<Nanos> pause() override { return change(load::Change::Kind::pause); }
  Expected<Nanos> resume() override { return change(load::Change::Kind::resume); }
  Expected<Nanos> change_workers(std::uint64_t max_workers) override {
    return change(load::Change::Kind::workers, std::nullopt, std::max<std::uint64_t>(1, max_workers));
  }

  Expected<Nanos> change_shards(std::uint32_t shards) override;

  Progress progress() const override;

 private:
  Expected<Nanos> change(load::Change::Kind kind, std::optional<Shape> shape = std::nullopt, std::uint64_t workers = 0);
  Expected<Summary> run(ResultSink* sink, ShardSinks* sinks);
  Expected<void> preconnected() const;
  void collect(Collector& collector);
  Expected<void> attend(ShardSinks& sinks);
  bool is_over() const;
  bool is_paused() const;
  Summary summarise(Timestamp started) const;
  void add_traffic(Summary& s) const;
  void add_interference(Summary& s) const;

  std::unique_ptr<Plan> plan_;
  mutable std::mutex schedule_mutex_;
  load::Schedule schedule_{Shape::constant(load::rate_of(1))};  // as shards have it, or soon will
  bool is_loop_paused_ = false;                                 // the same of a closed loop, which has no schedule
  std::unique_ptr<Feeder> feeder_;
  load::Crew crew_{*plan_, [this] {
                     const std::lock_guard lock(mutex_);
                     shard_over_.notify_all();
                   }};
  host::Counters counters_before_;
  std::atomic<bool> has_run_{false};
  std::atomic<bool> started_{false};
  Timestamp started_at_;  // once started_
  std::mutex mutex_;
  std::condition_variable shard_over_;
};

// To `sink` go the results of all shards; or to `sinks` those of each.
Expected<Summary> AttackerImpl::run(ResultSink* sink, ShardSinks* sinks) {
  if (has_run_.exchange(true)) return failure("an attacker runs once; make another one");
  if (feeder_) {
    if (auto reading = feeder_->start([this](std::uint32_t k) { crew_.shards()[k].wake(); }); !reading)
      return std::unexpected(reading.error());
    const auto first = feeder_->await_first(plan_->end);
    if (!first) return std::unexpected(first.error());
    if (!*first && !plan_->stop.load()) return failure("no targets to attack");
    for (const auto& shard : crew_.shards())
      if (auto ready = shard->make_tls_ready(); !ready) return std::unexpected(ready.error());
  }
  if (sinks != nullptr) crew_.keep_results_in(*sinks);
  counters_before_ = host::counters();
  std::latch ready(static_cast<std::ptrdiff_t>(crew_.shards().size())), start(1);
  auto can_start = crew_.start(ready, start);
  if (can_start) {
    ready.wait();
    can_start = preconnected();
  }
  if (!can_start) cut();
  const Timestamp started = started_at_ = plan_->started = wall_clock().plus(-plan_->begin());
  plan_->start = now() - plan_->begin();
  started_.store(true, std::memory_order_release);
  start.count_down();
  if (!can_start) {
    crew_.join();
    return std::unexpected(can_start.error());
  }
  Expected<void> taken;
  if (sinks != nullptr) {
    taken = attend(*sinks);
    crew_.join();
    for (const auto& shard : crew_.shards())
      if (taken) taken = shard->sink_status();
  } else {
    Collector collector(*plan_, *sink, started);
    collect(collector);
    crew_.join();
    collect(collector);  // of one that joined at the last moment
    for (const auto& shard : crew_.shards()) collector.drain(shard->results());
    taken = collector.status();
  }
  if (feeder_) feeder_->stop();
  if (!taken) return std::unexpected(taken.error());
  if (feeder_ && feeder_->error() && !plan_->stop.load()) return std::unexpected(*feeder_->error());
  return summarise(started);
}

// What is missing of the connections that were to be there before the first hit.
Expected<void> AttackerImpl::preconnected() const {
  std::uint64_t opened = 0;
  std::string error;
  for (const auto& shard : crew_.shards()) {
    opened += shard->totals().connections.preconnected;
    if (error.empty()) error = shard->preconnect_error();
  }
  if (error.empty()) return {};
  const std::uint64_t asked = plan_->options.preconnect * plan_->routes.size();
  return failure(fmt::format("-preconnect: {} of {} connections were opened: {}", opened, asked, error));
}

// Naps between two looks at the rings, short enough that none fills, long enough to cost nothing.
void AttackerImpl::collect(Collector& collector) {
  const host::Background background;
  std::chrono::nanoseconds nap = std::chrono::milliseconds(4);
  Instant ticked = now();
  for (;;) {
    bool all_over = true;
    std::size_t fullest = 0;
    for (const auto& shard : crew_.shards()) {
      all_over = shard->is_over() && all_over;
      fullest = std::max(fullest, collector.drain(shard->results()));
    }
    if (all_over) return;
    if (collector.has_failed() && !plan_->stop.load()) cut();
    if (const Instant t = now(); t - ticked >= kTick) {
      if (ticked < plan_->start) counters_before_ = host::counters();  // of the warm-up
      collector.tick();
      crew_.look(t, is_paused());
      ticked = t;
    }
    if (fullest > 1024)
      nap = std::max(kShortestNap, nap / 2);
    else if (fullest < 256)
      nap = std::min(kLongestNap, nap * 3 / 2);
    std::unique_lock lock(mutex_);
    shard_over_.wait_for(lock, nap);
  }
}

bool AttackerImpl::is_paused() const {
  const std::lock_guard lock(schedule_mutex_);
  return is_loop_paused_ || schedule_.is_paused();
}

bool AttackerImpl::is_over() const {
  return std::ranges::all_of(crew_.shards(), [](const auto& shard) { return shard->is_over(); });
}

// While shards keep their results to themselves. They are woken so that each has its turn before the next tick.
Expected<void> AttackerImpl::attend(ShardSinks& sinks) {
  const host::Background background;
  Expected<void> taken;
  Instant ticked = now();
  while (!is_over()) {
    if (const Instant t = now(); t - ticked >= kTick) {
      if (ticked < plan_->start) counters_before_ = host::counters();  // of the warm-up
      ticked = t;
      if (taken) taken = sinks.tick();
      crew_.look(t, is_paused());
      if (!taken && !plan_->cut.load()) cut();
      crew_.wake();
    }
    std::unique_lock lock(mutex_);
    if (!is_over()) shard_over_.wait_for(lock, kTick / 2);
  }
  return taken;
}

Summary AttackerImpl::summarise(Timestamp started) const {
  Summary s;
  s.started = started;
  s.shards = static_cast<std::uint32_t>(crew_.shards().size());
  s.io = crew_.shards()[0].io();
  const AttackOptions& o = plan_->options;
  load::LimitEvidence evidence{
      .rate = o.shape.is_closed() ? 0 : schedule_.peak(), .max_workers = o.max_workers, .max_connections = o.max_connections};
  double latency = 0;
  std::uint64_t finished = 0;
  for (const auto& shard : crew_.shards()) {
    const load::ShardTotals& t = shard->totals();
    const load::Gauges& g = shard->gauges();
    s.books.scheduled += t.scheduled;
    s.books.sent += g.sent.load();
    s.books.missed += g.missed.load();
    s.books.ok += g.ok.load();
    s.books.cut += t.cut;
    finished += t.finished;
    latency += t.latency_sum;
    s.warmup.sent += t.warmup_sent;
    s.warmup.failed += t.warmup_failed;
    s.connections.opened += t.connections.opened;
    s.connections.failed += t.connections.failed;
    s.connections.reused += t.connections.reused;
    s.connections.peak += t.connections.peak;
    s.connections.stale_retries += t.connections.stale_retries;
    s.connections.preconnected += t.connections.preconnected;
    s.redirects += t.redirects;
    for (const auto& [address, connections] : t.addresses) add_address(s.addresses, net::format_address(address), connections);
    s.protocols.http1 += t.answered_by[static_cast<std::size_t>(http::Protocol::http1)];
    s.protocols.http2 += t.answered_by[static_cast<std::size_t>(http::Protocol::http2)];
    s.truncated_captures += t.truncated_captures;
    s.elapsed = std::max(s.elapsed, t.ended);
    s.sending = std::max(s.sending, shard->end_of_sending());
    s.busiest_shard = std::max(s.busiest_shard, t.busy);
    s.waited_for_core = std::max(s.waited_for_core, t.waiting);
    s.was_cut = s.was_cut || t.was_cut;
    s.ran_dry = s.ran_dry || t.ran_dry;
    for (std::size_t i = 0; i < kLimits; ++i) evidence.late[i] += t.late_by_limit[i];
    evidence.late_sum += t.late_sum;
  }
  std::ranges::stable_sort(s.addresses, std::ranges::greater(), &AddressCount::connections);
  s.proxies = plan_->routes.proxies();
  s.books.failed = s.books.sent - s.books.ok - s.books.cut;
  s.warmup.length = plan_->options.warmup;
  s.stopped = plan_->stop.load();
  add_traffic(s);
  add_interference(s);
  evidence.mean_latency = finished == 0 ? 0 : latency / static_cast<double>(finished);
  load::name_the_limit(s, evidence);
  return s;
}

void AttackerImpl::add_traffic(Summary& s) const {
  net::TcpTally::Totals tcp;
  for (const auto& shard : crew_.shards()) {
    const load::ShardTotals& t = shard->totals();
    tcp.add(t.tcp);
    s.traffic.bytes_in += t.bytes.in;
    s.traffic.bytes_out += t.bytes.out;
  }
  s.traffic.connections = tcp.connections;
  s.traffic.segments_in = tcp.segments_in;
  s.traffic.segments_out = tcp.segments_out;
  s.traffic.retransmitted = tcp.retransmitted;
  s.traffic.retransmitted_opening = tcp.retransmitted_opening;
  s.traffic.out_of_order = tcp.out_of_order;
  if (tcp.rtts > 0) s.traffic.rtt = tcp.mean_rtt();
  if (tcp.least_rtt != net::TcpTally::Totals::kNone) s.traffic.least_rtt = tcp.least_rtt;
}

void AttackerImpl::add_interference(Summary& s) const {
  const host::Difference d = host::difference(counters_before_, host::counters());
  s.interference = {d.quota, d.periods, d.throttled, d.throttled_time, d.stolen, 0};
  const auto is_ours = [](const auto& shard) {
    return std::ranges::any_of(shard->totals().addresses, [](const auto& each) { return net::is_of_this_machine(each.first); });
  };
  if (std::ranges::any_of(crew_.shards(), is_ours)) s.interference.listen_overflows = d.listen_overflows;
}

Progress AttackerImpl::progress() const {
  Progress p;
  if (!started_.load(std::memory_order_acquire)) return p;
  const Nanos t = now() - plan_->start;
  p.started = started_at_;
  p.elapsed = std::max(Nanos(0), t);
  p.warmup_left = std::max(Nanos(0), -t);
  for (const auto& shard : crew_.shards()) {
    const load::Gauges& g = shard->gauges();
    p.sent += (t < Nanos(0) ? g.warmup_sent : g.sent).load(std::memory_order_relaxed);
    p.answered += g.answered.load(std::memory_order_relaxed);
    p.ok += g.ok.load(std::memory_order_relaxed);
    p.in_flight += g.in_flight.load(std::memory_order_relaxed);
    p.missed += g.missed.load(std::memory_order_relaxed);
    p.connections_open += g.connections_open.load(std::memory_order_relaxed);
    p.connections_opened += g.connections_opened.load(std::memory_order_relaxed);
    p.busiest_shard = std::max(p.busiest_shard, g.busy.load(std::memory_order_relaxed));
  }
  const AttackOptions& o = plan_->options;
  const std::lock_guard lock(schedule_mutex_);
  p.is_paused = is_loop_paused_ || schedule_.is_paused();
  p.due = o.shape.is_closed() ? p.sent : std::min(o.hits, schedule_.hits_before(std::min(p.elapsed, schedule_.end())));
  return p;
}

// All shards apply it at the same time of the schedule; one that is late to do so has sent a few hits by the rate before, whose
// numbers are then taken.
Expected<Nanos> AttackerImpl::change(load::Change::Kind kind, std::optional<Shape> shape, std::uint64_t workers) {
  using Kind = load::Change::Kind;
  const bool is_closed = plan_->options.shape.is_closed();
  if (!plan_->options.is_steerable) return failure("this attack was not made to be changed while it goes on");
  if (is_closed && kind == Kind::rate) return failure("a closed loop has no rate to change");
  if (!started_.load(std::memory_order_acquire)) return failure("the attack has not begun");
  const std::lock_guard lock(schedule_mutex_);
  const Nanos t = now() - plan_->start;
  if (t < Nanos(0)) return failure("the attack is still warming up");
  if (plan_->stop.load() || (!is_closed && t >= schedule_.end())) return failure("the attack is ending");
  load::Change change{.kind = kind, .at = t, .shape = std::move(shape), .workers = workers};
  if (is_closed && kind != Kind::workers)
    is_loop_paused_ = kind == Kind::pause;
  else if (kind != Kind::workers)
    schedule_.apply(change);
  plan_->changes.post(std::move(change));
  crew_.wake();
  return t;
}

Expected<Nanos> AttackerImpl::change_shards(std::uint32_t shards) {
  if (!started_.load(std::memory_order_acquire)) return failure("the attack has not begun");
  const Nanos t = now() - plan_->start;
  if (t < Nanos(0)) return failure("the attack is still warming up");
  if (plan_->stop.load()) return failure("the attack is ending");
  if (auto changed = crew_.change(shards); !changed) return std::unexpected(changed.error());
  return t;
}

template <class Targets>
Expected<std::unique_ptr<Attacker>> make(AttackOptions options, Targets targets) {
  if (auto fine = check(options); !fine) return std::unexpected(fine.error());
  shorten(options);
  const std::uint32_t shards = shards_for(options);
  auto attacker = std::make_unique<AttackerImpl>(std::move(options));
  Expected<void> ready;
  if constexpr (std::is_same_v<Targets, std::vector<Target>>)
    ready = attacker->use(std::move(targets));
  else
    ready = attacker->use(std::move(targets), shards);
  if (ready) ready = attacker->prepare(shards);
  if (!ready) return std::unexpected(ready.error());
  return std::unique_ptr<Attacker>(std::move(attacker));
}

}  // namespace

Expected<std::unique_ptr<Attacker>> Attacker::create(AttackOptions options, std::vector<Target> targets) {
  return make(std::move(options), std::move(targets));
}

Expected<std::unique_ptr<Attacker>> Attacker::create(AttackOptions options, std::unique_ptr<TargetSource> targets) {
  if (options.warmup > Nanos(0)) return usage_error("-warmup would use up targets that -lazy sends once each; leave one out");
  if (options.preconnect > 0)
    return usage_error(
        "-preconnect has to know the targets' hosts before the attack, -lazy reads targets in the course of it; leave one out");
  if (options.order.value_or(Order::sequence) != Order::sequence)
    return usage_error(
        fmt::format("-order={} has to know all targets before the attack, -lazy reads them in the course of it; leave one out",
                    name_of(*options.order)));
  return make(std::move(options), std::move(targets));
}

}  // namespace thrum
