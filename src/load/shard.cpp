// The loop of a shard: which hits leave when, and how it waits. What happens to exchanges: shard_exchanges.cpp.
#include "load/shard.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "host/limits.hpp"
#include "load/rate.hpp"

namespace thrum::load {
namespace {

constexpr std::uint64_t kMostHeld = 4096;
constexpr std::uint64_t kMostReady = 65'536;  // exchanges made ready before the first hit

constexpr int kStartsPerTurn = 64;

constexpr Nanos kBusyOver{1'000'000'000};

// What was measured to be the cheaper: the ring, plain or under TLS, as sends and receives share the system call that waits. But it takes
// one of its own to close a connection, so where each request has its own, epoll serves them; and where HTTP/2 may be spoken, whose many
// streams share a call anyway, what has come in meanwhile is read in fewer pieces by epoll.
Io io_for(const Plan& plan) {
  const AttackOptions& o = plan.options;
  if (o.io != Io::automatic) return o.io;
  const bool may_be_http2 = o.http2_only || o.h2c || (o.http2 && plan.routes.has_tls());
  return o.keep_alive && !may_be_http2 ? Io::automatic : Io::epoll;
}

Pacer pacer_of(const Plan& plan, Slice slice) {
  const AttackOptions& o = plan.options;
  if (o.shape.is_closed()) return Pacer(Shape::constant(rate_of(1)), o.catch_up, 0, slice);
  return Pacer(Schedule(o.shape, plan.end), o.catch_up, o.hits, slice, o.seed);
}

// Who runs for short times may, when it wakes, take the core from who runs for long ones at once, not at the next tick, a millisecond or
// more later (Linux 6.12; before, it changes nothing). Nobody's share changes by it.
void ask_for_short_slices() {
  struct {
    std::uint32_t size = sizeof(*this), policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 100'000, deadline = 0, period = 0;  // ns
  } wanted;                                                     // sched_attr of the kernel, which the C library has no name for
  if (sched_getscheduler(0) != SCHED_OTHER) return;
  errno = 0;
  wanted.nice = getpriority(PRIO_PROCESS, 0);
  if (errno == 0) syscall(SYS_sched_setattr, 0, &wanted, 0);
}

Nanos thread_cpu() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return Nanos(t.tv_sec * 1'000'000'000 + t.tv_nsec);
}

}  // namespace

Shard::Shard(Plan& plan, Slice slice, Feeder* feeder)
    : plan_(plan),
      slice_(slice),
      feeder_(feeder),
      pacer_(pacer_of(plan, slice)),
      is_warming_(plan.begin() < Nanos(0)),
      sleeper_(plan.options.spin, plan.begin()),
      max_in_flight_(share_of(plan.options.max_workers, slice.shard, slice.shards)),
      workers_(plan.options.max_workers),
      dealt_to_(slice.shards),
      max_idle_((plan.options.connections + slice.shards - 1) / slice.shards),
      follow_ups_(plan.routes, plan.options.boundary),
      too_many_redirects_(fmt::format("stopped after {} redirects", plan.options.redirects)),
      end_(plan.end) {
  is_retired_ = slice.shard >= slice.shards;
  opening_window_ = OpeningWindow(plan.begin());
  opening_pace_ = OpeningPace(plan.begin());
  busy_from_ = plan.begin();
  if (!is_warming_ || is_closed()) return;
  after_warmup_.emplace(std::move(pacer_));
  const Shape& shape = plan.options.shape;
  const Shape warm = plan.options.warmup_shape ? *plan.options.warmup_shape : Shape::constant(rate_of(shape.rate_at(Nanos(0))));
  pacer_ = Pacer(Schedule(warm, Nanos(0), plan.begin()), plan.options.catch_up, kUnlimited, slice, plan.options.seed + 1);
}

Shard::~Shard() {
  Record left;
  while (results_.pop(left)) {
    delete left.capture;
    if (left.request->is_owned) delete left.request;
  }
  for (const Exchange& e : exchanges_) {
    if (!e.in_use) continue;
    delete e.capture;
    if (e.request != e.target && e.request->is_owned) delete e.request;
    if (e.target->is_owned) delete e.target;
  }
  for (const auto& pool : pools_) {
    if (pool == nullptr) continue;
    for (const HeldHit& h : pool->held)
      if (h.request->is_owned) delete h.request;
  }
  if (pending_ != nullptr) delete pending_;
}

Expected<void> Shard::prepare() {
  net::NetworkOptions options;
  options.io = io_for(plan_);
  options.dns.ttl = plan_.options.dns_ttl;
  options.dns.servers = plan_.options.resolvers;
  options.tls = plan_.options.tls;
  options.local_addresses = plan_.local_addresses;
  options.boundary = plan_.options.boundary;
  options.dns.first_turn = options.first_turn = slice_.shard;  // shards begin at different addresses
  auto network = net::OwnNetwork::create(std::move(options));
  if (!network) {
    Error why = std::move(network.error());
    if (why.text.starts_with("io_uring: ")) why.text += "; -io=epoll goes without it";
    return std::unexpected(std::move(why));
  }
  network_ = std::move(*network);
  if (plan_.options.http2_only)
    network_->network().tls.offer({"h2"});
  else if (plan_.options.http2)
    network_->network().tls.offer({"h2", "http/1.1"});
  if (auto tls = make_tls_ready(); !tls) return tls;
  const std::uint64_t ready = std::min({share_of(plan_.options.workers, slice_.shard, slice_.shards), max_in_flight_, kMostReady});
  for (std::uint64_t i = 0; i < ready; ++i) {
    exchanges_.emplace_back();
    free_exchanges_.push_back(static_cast<std::uint32_t>(ready - 1 - i));
  }
  return {};
}

// Loading the roots takes milliseconds: not when the first hit is due.
Expected<void> Shard::make_tls_ready() { return plan_.routes.has_tls() ? network_->network().tls.load() : Expected<void>{}; }

void Shard::wake() { network_->network().reactor.wake(); }

void Shard::join_at(std::uint64_t hit) { (after_warmup_ ? *after_warmup_ : pacer_).draw_up_to(hit); }

void Shard::stand_by() { waited_before_ = host::waited_for_core().value_or(0); }

void Shard::run() {
  pthread_setname_np(pthread_self(), "thrum-shard");
  prctl(PR_SET_TIMERSLACK, 1);  // this thread's only
  ask_for_short_slices();
  const Nanos cpu_before = thread_cpu(), began = std::max(plan_.begin(), clock());
  busy_from_ = began;
  busy_cpu_ = cpu_before;
  if (sink_ != nullptr) own_collector_.emplace(plan_, *sink_, plan_.started);
  if (plan_.stop.load(std::memory_order_relaxed)) begin_stop(Nanos(0));  // before anything was due
  for (Nanos t = clock();;) {
    if (plan_.changes.count() != changes_) apply_changes();
    if (plan_.stop.load(std::memory_order_relaxed) && !stopping_) begin_stop(t);
    if (plan_.cut.load(std::memory_order_relaxed)) {
      if (!stopping_) begin_stop(t);
      settle_the_end(t);
      cut_everything();
    }
    network_->network().timers.run_due(plan_.start + t);
    expire(t);
    pump(t, kStartsPerTurn);
    t = clock();
    if (!ending_ && t >= end_) settle_the_end(t);
    if (ending_ && in_flight_ > 0 && plan_.grace != Nanos::max() && t >= sending_over_at_ + plan_.grace) cut_everything();
    do {
      flush_all();
      refill();  // what a flush has put back needs a connection, what leaves by one already open needs a flush
    } while (!unflushed_.empty());
    bury();
    publish();
    hand_over();
    if (t - busy_from_ >= kBusyOver) measure_busy(t);
    if (t >= sample_at_) sample_connections(t);
    if (ending_ && in_flight_ == 0) break;
    t = sleep(t);
  }
  finish_totals(clock());
  network_->network().tcp.spare_nothing();
  drop_all();
  const Nanos spent = thread_cpu() - cpu_before - sleeper_.total_spun();
  const double wall = static_cast<double>(std::max<std::int64_t>(1, (clock() - began).count()));
  totals_.busy = std::clamp(static_cast<double>(spent.count()) / wall, 0.0, 1.0);
  if (const auto waited = host::waited_for_core())
    totals_.waiting = std::clamp(static_cast<double>(*waited - waited_before_) / wall, 0.0, 1.0);
  totals_.tcp = network_->network().tcp.totals();
  const net::ByteCounts bytes = network_->network().reactor.bytes();
  totals_.bytes = {bytes.in - bytes_before_.in, bytes.out - bytes_before_.out};
  publish();
  hand_over();
  over_.store(true, std::memory_order_release);
}

// Starts hits that are due and can leave, `most` of them.
void Shard::pump(Nanos t, int most) {
  blocked_by_ = Limit::none;
  notice_dry_source();
  if (is_warming_ && t >= Nanos(0)) begin_to_count(t);
  while (most-- > 0 && may_be_due(t)) {
    if (t >= end_) settle_the_end(t);
    if (ending_) return;
    blocked_by_ = what_blocks(t);
    if (blocked_by_ != Limit::none) {
      last_blocked_by_ = blocked_by_;
      break;
    }
    if (must_look_first(t)) return;
    Due due;
    if (!take_hit(t, due)) break;
    const Request* request = plan_.is_lazy() ? std::exchange(pending_, nullptr) : &plan_.request_for(due.hit);
    start_hit(due, request, t);
    t = clock();
    if (is_warming_ && t >= Nanos(0)) begin_to_count(t);
  }
  if (!ending_ && held_ == 0 && has_no_more()) end_sending();
}

// What stands in the way of the next hit, which is due.
Limit Shard::what_blocks(Nanos t) {
  const bool has_claimed = is_retired_ && block_.count > 0;  // before it was: they are nobody else's
  if (in_flight_ + held_ >= max_in_flight_ && !has_claimed) return Limit::workers;
  bool no_connection = held_ >= kMostHeld;
  if (plan_.has_one_route) {
    const Pool& pool = pool_of(plan_.requests[0].route);
    is_opening_enough_ = is_closed() && pool.ready.empty() && !will_carry_more(pool) && opening_window_.is_full(t);
    if (is_opening_enough_) return Limit::target;
    no_connection = !has_place(pool);
  }
  if (no_connection) return open_ >= most_open_ ? Limit::descriptors : Limit::connections;
  if (plan_.is_lazy() && pending_ == nullptr) {
    pending_ = feeder_->take(slice_.shard);
    if (pending_ == nullptr) {
      notice_dry_source();
      return Limit::targets;
    }
  }
  return Limit::none;
}

// The end of the targets is the end of the schedule, whether a hit is due or not. Those held back still go.
void Shard::notice_dry_source() {
  if (!plan_.is_lazy() || pending_ != nullptr || !feeder_->is_dry(slice_.shard)) return;
  totals_.ran_dry = true;
  claims_left_ = false;
  pacer_.end_at(Nanos(0));
}

// Whether the next hit needs a new connection before it is known that none will be free at once.
bool Shard::must_look_first(Nanos t) {
  if (is_closed()) return false;  // as many connections as workers were asked for
  const Request& next = plan_.is_lazy() ? *pending_ : plan_.request_for(pacer_.next_hit());
  const Pool& pool = pool_of(next.route);
  if (!pool.ready.empty() || will_carry_more(pool)) return false;
  if (opening_pace_.take(t, t - pacer_.next_at())) return false;
  look_first_ = true;
  if (opening_pace_.is_braking()) last_blocked_by_ = Limit::target;
  return true;
}

void Shard::look() {
  look_first_ = false;
  const Nanos again = opening_pace_.again_at(clock());
  opening_pace_.looked(network_->network().reactor.wait(instant(again)));
}

bool Shard::take_hit(Nanos t, Due& due) {
  if (is_closed()) {
    if (is_warming_) {
      due = {warmup_hits_++, t};
      return true;
    }
    // A number claimed for a target that is read lazily must be used: the source may run dry before the block is.
    if (block_.count == 0) block_ = plan_.is_lazy() ? plan_.claims.claim(1) : plan_.claims.claim();
    if (block_.count == 0) {
      claims_left_ = false;
      return false;
    }
    due = {block_.first++, t};
    --block_.count;
    return true;
  }
  const std::uint64_t open = is_warming_ ? kUnlimited : plan_.frontier.open_for(pacer_.next_hit());
  // Who is let beyond a new division knows of it: it was posted before the frontier was released.
  if (plan_.changes.count() != changes_) return false;
  const std::uint64_t before = pacer_.missed();
  const auto taken = pacer_.take(t, open);
  note_missed(pacer_.missed() - before);
  if (!taken) return false;
  due = *taken;
  return true;
}

void Shard::start_hit(const Due& due, const Request* request, Nanos t) {
  Pool& pool = pool_of(request->route);
  if (!has_place(pool)) {
    last_blocked_by_ = open_ >= most_open_ ? Limit::descriptors : Limit::connections;
    pool.held.push_back({due, request, last_blocked_by_});
    ++held_;
    pacer_.put_off();
    return;
  }
  if (!is_closed()) note_late(t - due.at);
  const std::uint32_t index = take_exchange();
  Exchange& e = exchanges_[index];
  e.request = e.target = request;
  e.hit = due.hit;
  e.due = due.at;
  e.sent = t;
  if ((plan_.options.capture_headers || plan_.options.max_body != 0) && wants_capture(t)) {
    e.capture = new Capture(plan_.options.capture_headers, plan_.options.max_body, plan_.captured_in_flight);
  }
  if (request->expectation != nullptr || plan_.samples_left.load(std::memory_order_relaxed) > 0) begin_check(index);
  ++(is_warmup(e) ? warmup_sent_ : sent_);
  assign(index);
}

// Each one, or one every so often.
bool Shard::wants_capture(Nanos t) {
  if (plan_.options.captures_per_second == 0) return true;
  if (t < next_capture_) return false;
  next_capture_ = t + Nanos(1'000'000'000 / plan_.options.captures_per_second);
  return true;
}

void Shard::note_late(Nanos late) {
  if (is_warming_) return;
  if (late <= Pacer::kTolerance) {
    last_blocked_by_ = Limit::none;
    return;
  }
  ++totals_.late_by_limit[static_cast<std::size_t>(last_blocked_by_ == Limit::none ? Limit::cpu : last_blocked_by_)];
  totals_.late_sum += static_cast<double>(late.count());
}

void Shard::note_missed(std::uint64_t count, Limit limit) {
  if (is_warming_) return;
  totals_.late_by_limit[static_cast<std::size_t>(limit == Limit::none ? Limit::cpu : limit)] += count;
}

// Sleeps until something happens or is due; spins the last stretch before a hit. Returns the time by then: what was read last, so that a
// hit leaves without another look.
Nanos Shard::sleep(Nanos t) {
  if (look_first_) {
    look();
    return clock();
  }
  Nanos until = held_until_;
  Nanos due = ending_ || blocked_by_ != Limit::none ? Nanos::max() : next_due();
  // Without a schedule what may leave leaves at once; pump() may have stopped for the sake of what has come in.
  if (!ending_ && is_closed()) due = claims_left_ && !paused_at_ && blocked_by_ == Limit::none ? t : Nanos::max();
  if (!ending_) until = std::min(until, end_ <= t ? t + Nanos(1'000'000) : end_);
  if (!ending_ && is_opening_enough_) until = std::min(until, opening_window_.grows_at());
  if (ending_ && plan_.grace != Nanos::max()) until = std::min(until, sending_over_at_ + plan_.grace);
  if (oldest_ != UINT32_MAX && plan_.options.timeout.count() > 0) until = std::min(until, exchanges_[oldest_].sent + plan_.options.timeout);
  if (const Instant timer = network_->network().timers.next(); timer != kNever) until = std::min(until, timer - plan_.start);
  net::Reactor& reactor = network_->network().reactor;
  if (due >= until) {
    reactor.wait(instant(until));
    return clock();
  }
  const Nanos width = due > t ? sleeper_.width(t, due - t) : Nanos(0);
  const Nanos wake_at = due - width;
  if (wake_at > t) {
    const int events = reactor.wait(instant(wake_at));
    t = clock();
    if (events > 0 || t < wake_at) return t;  // woken for another reason
    sleeper_.slept(wake_at, t);
  } else if (width.count() == 0) {
    reactor.wait(Instant::min());
    return clock();
  }
  const Nanos from = t;
  while (t < due) {
    const int events = in_flight_ > 0 ? reactor.wait(Instant::min()) : 0;
    t = clock();
    if (events > 0 || plan_.stop.load(std::memory_order_relaxed)) break;
  }
  if (t > from) sleeper_.spun(t - from);
  return t;
}

void Shard::publish() {
  gauges_.sent.store(sent_, std::memory_order_relaxed);
  gauges_.answered.store(answered_, std::memory_order_relaxed);
  gauges_.ok.store(ok_, std::memory_order_relaxed);
  gauges_.missed.store(missed_ + (is_warming_ ? 0 : pacer_.missed()), std::memory_order_relaxed);
  gauges_.warmup_sent.store(warmup_sent_, std::memory_order_relaxed);
  gauges_.in_flight.store(in_flight_, std::memory_order_relaxed);
  gauges_.connections_open.store(open_, std::memory_order_relaxed);
  gauges_.connections_opened.store(totals_.connections.opened, std::memory_order_relaxed);
}

// To a sink of its own.
void Shard::hand_over() {
  if (!own_collector_) return;
  own_collector_->drain(results_);
  own_collector_->tick();
  if (own_collector_->has_failed()) plan_.cut.store(true, std::memory_order_relaxed);
}

void Shard::measure_busy(Nanos t) {
  const Nanos spent = thread_cpu() - sleeper_.total_spun();
  gauges_.busy.store(std::clamp(static_cast<double>((spent - busy_cpu_).count()) / static_cast<double>((t - busy_from_).count()), 0.0, 1.0),
                     std::memory_order_relaxed);
  busy_from_ = t;
  busy_cpu_ = spent;
}

void Shard::finish_totals(Nanos t) {
  totals_.scheduled = sent_ + missed_ + (is_warming_ ? 0 : pacer_.missed());
  totals_.warmup_sent = warmup_sent_;
  totals_.warmup_failed = warmup_sent_ - warmup_ok_;
  totals_.ended = t;
}

}  // namespace thrum::load
