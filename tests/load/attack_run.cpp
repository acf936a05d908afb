#include "attack_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "support/io.hpp"
#include "support/sanitizers.hpp"

namespace thrum::load {
namespace {

#if defined(THRUM_THREAD_SANITIZER) || defined(THRUM_ADDRESS_SANITIZER)
constexpr auto kFarTooLong = std::chrono::seconds(120);
#else
constexpr auto kFarTooLong = std::chrono::seconds(40);
#endif

// Cuts an attack that hangs, so that the test fails instead of the whole suite.
class Watchdog {
 public:
  explicit Watchdog(Attacker& attacker) : thread_([this, &attacker] { watch(attacker); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch(Attacker& attacker) {
    std::unique_lock lock(mutex_);
    if (over_.wait_for(lock, kFarTooLong, [this] { return is_over_; })) return;
    ADD_FAILURE() << "the attack did not end";
    attacker.cut();
  }
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

Kept keep(const Result& r) {
  Kept k;
  k.attack = r.attack;
  k.method = r.method;
  k.url = r.url;
  k.name = r.name;
  k.error = r.error;
  k.seq = r.seq;
  k.timestamp = r.timestamp;
  k.latency = r.latency;
  k.lag = r.lag;
  k.first_byte = r.first_byte;
  k.dns = r.dns;
  k.connect = r.connect;
  k.tls = r.tls;
  k.redirecting = r.redirecting;
  k.bytes_out = r.bytes_out;
  k.bytes_in = r.bytes_in;
  k.code = r.code;
  k.seen_status = r.seen_status;
  k.retries = r.retries;
  k.redirects = r.redirects;
  k.outcome = r.outcome;
  if (r.body) k.body = std::string(*r.body);
  k.is_warmup = r.is_warmup;
  k.has_headers = r.has_headers;
  for (const Header& h : r.headers) k.headers.emplace_back(h.name, h.value);
  return k;
}

}  // namespace

Expected<void> KeepingSink::take(std::span<const Result> batch) {
  ++takes;
  EXPECT_FALSE(batch.empty());
  for (const Result& r : batch) results.push_back(keep(r));
  return on_take ? on_take() : Expected<void>{};
}

Expected<void> KeepingSink::tick() {
  ++ticks;
  return on_tick ? on_tick() : Expected<void>{};
}

std::size_t Ran::count(Outcome outcome) const { return static_cast<std::size_t>(std::ranges::count(results, outcome, &Kept::outcome)); }
std::size_t Ran::count_code(int code) const { return static_cast<std::size_t>(std::ranges::count(results, code, &Kept::code)); }

AttackOptions open_attack(const char* rate, Nanos duration) {
  AttackOptions o;
  o.shape = *parse_shape(rate);
  o.duration = duration;
  return o;
}

AttackOptions open_hits(const char* rate, std::uint64_t hits) {
  AttackOptions o = open_attack(rate, Nanos(0));
  o.hits = hits;
  return o;
}

AttackOptions closed_attack(std::uint64_t workers, std::uint64_t hits) {
  AttackOptions o;
  o.shape = Shape::closed();
  o.max_workers = workers;
  o.hits = hits;
  return o;
}

std::vector<Target> get(const std::vector<std::string>& urls) {
  std::vector<Target> targets;
  for (const std::string& url : urls) targets.push_back({"GET", url, {}, nullptr});
  return targets;
}

Target post(std::string url, std::string body) {
  return {"POST", std::move(url), {}, std::make_shared<const std::string>(std::move(body))};
}

std::unique_ptr<Attacker> make_attacker(AttackOptions options, std::vector<Target> targets) {
  if (options.io == Io::automatic) options.io = support::io_of_tests();
  auto made = Attacker::create(std::move(options), std::move(targets));
  EXPECT_TRUE(made) << made.error().text;
  return made ? std::move(*made) : nullptr;
}

Ran run(Attacker& attacker, KeepingSink& sink) {
  Ran r;
  {
    const Watchdog watchdog(attacker);
    r.summary = attacker.run(sink);
  }
  for (Kept& k : sink.results) (k.is_warmup ? r.warmup : r.results).push_back(std::move(k));
  r.ticks = sink.ticks;
  std::ranges::sort(r.results, {}, &Kept::seq);
  return r;
}

Ran run(Attacker& attacker) {
  KeepingSink sink;
  return run(attacker, sink);
}

Ran attack(AttackOptions options, std::vector<Target> targets) {
  const auto attacker = make_attacker(options, std::move(targets));
  if (attacker == nullptr) return {};
  Ran r = run(*attacker);
  expect_sound(r, options);
  return r;
}

Ran attack(AttackOptions options, const std::string& url) { return attack(std::move(options), get({url})); }

Ran attack(AttackOptions options, std::unique_ptr<TargetSource> targets) {
  if (options.io == Io::automatic) options.io = support::io_of_tests();
  auto made = Attacker::create(options, std::move(targets));
  EXPECT_TRUE(made) << made.error().text;
  if (!made) return {};
  Ran r = run(**made);
  if (r.summary) expect_sound(r, options);
  return r;
}

namespace {

void expect_sound(const Kept& r, const AttackOptions& options) {
  SCOPED_TRACE(testing::Message() << "hit " << r.seq << ": " << r.url << " " << r.code << " " << r.error);
  const bool is_success = r.outcome == Outcome::ok || r.outcome == Outcome::expected;
  const bool is_broken = r.outcome == Outcome::expectation;
  const bool is_answered = is_success || is_broken || r.outcome == Outcome::bad_status;
  EXPECT_EQ(r.attack, options.name);
  EXPECT_EQ(r.error.empty(), is_success);
  EXPECT_EQ(r.error.find('\n'), std::string::npos);
  EXPECT_GE(r.latency, Nanos(0));
  if (options.shape.is_closed()) {
    EXPECT_EQ(r.lag, Result::kNone);
  } else {
    EXPECT_GE(r.lag, Nanos(0)) << "sent before it was due";
  }
  EXPECT_EQ(r.code, is_answered ? r.seen_status : 0);
  EXPECT_TRUE(is_broken || (r.outcome == Outcome::ok) == (r.code >= 200 && r.code < 400));
  EXPECT_TRUE(!is_answered || r.first_byte != Result::kNone);
  if (r.first_byte != Result::kNone) {
    EXPECT_GE(r.first_byte, Nanos(0));
    EXPECT_LE(r.first_byte, r.latency);
  }
  for (const Nanos phase : {r.dns, r.connect, r.tls}) EXPECT_TRUE(phase == Result::kNone || phase >= Nanos(0));
  EXPECT_TRUE(is_answered || r.bytes_in + r.bytes_out == 0);
  const bool is_sample = is_broken && r.body && options.max_body == 0;
  EXPECT_TRUE(is_sample || options.captures_per_second > 0 || r.has_headers == (options.capture_headers && r.seen_status != 0));
  EXPECT_TRUE(is_sample || options.captures_per_second > 0 || r.body.has_value() == (options.max_body != 0 && r.seen_status != 0));
  EXPECT_TRUE(is_sample || !r.body || options.max_body < 0 || r.body->size() <= static_cast<std::size_t>(options.max_body));
  EXPECT_LE(r.redirects, std::max(0, options.redirects));
  EXPECT_TRUE(r.outcome != Outcome::timeout || r.latency >= options.timeout);
}

}  // namespace

void expect_sound(const Ran& r, const AttackOptions& options) {
  ASSERT_TRUE(r.summary) << r.summary.error().text;
  const Summary& s = *r.summary;
  EXPECT_EQ(s.books.scheduled, s.books.sent + s.books.missed);
  EXPECT_EQ(s.books.sent, s.books.ok + s.books.failed + s.books.cut);
  EXPECT_EQ(r.results.size(), s.books.sent);
  EXPECT_EQ(r.count(Outcome::ok) + r.count(Outcome::expected), s.books.ok);
  EXPECT_EQ(r.count(Outcome::cut), s.books.cut);
  EXPECT_LE(s.books.scheduled, options.hits);
  if (options.duration.count() > 0 && !options.shape.is_closed()) {
    EXPECT_LE(s.books.scheduled, options.shape.hits_before(options.duration));
  }
  std::uint64_t retries = 0, redirects = 0;
  std::set<std::uint64_t> hits;
  for (const Kept& k : r.results) {
    expect_sound(k, options);
    EXPECT_TRUE(hits.insert(k.seq).second) << "hit " << k.seq << " has two results";
    retries += static_cast<std::uint64_t>(k.retries);
    redirects += static_cast<std::uint64_t>(k.redirects);
  }
  EXPECT_EQ(retries, s.connections.stale_retries);
  EXPECT_EQ(redirects, s.redirects);
  EXPECT_GE(s.elapsed, s.sending);
  EXPECT_GE(s.busiest_shard, 0);
  EXPECT_LE(s.busiest_shard, 1);
  EXPECT_TRUE(s.limit != Limit::none || (s.limit_value == 0 && s.limit_needed == 0));
}

}  // namespace thrum::load
