// Counts allocations once an attack has warmed up: neither a shard nor the collector makes any while requests go over kept
// connections. An executable of its own, because it replaces the global operator new (counted_new.cpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "counted_new.hpp"
#include "support/io.hpp"
#include "support/sanitizers.hpp"
#include "support/scripted_server.hpp"
#include "thrum/attacker.hpp"

namespace thrum::load {
namespace {

using support::response;
using support::Script;

using counted_new::Thread;

// The collector is some tens of milliseconds behind the shards: when they close their connections, it must have stopped counting.
constexpr std::uint64_t kHits = 12'000, kWarm = 1500, kTail = 7000, kConnections = 6;

// Starts to count when the attack is warm, and stops before it ends.
class CountingSink final : public ResultSink {
 public:
  explicit CountingSink(const std::atomic<std::size_t>& warm_connections) : warm_connections_(warm_connections) {}
  Expected<void> take(std::span<const Result> batch) override {
    results += batch.size();
    const bool is_warm = results >= kWarm && warm_connections_ == kConnections;
    counted_new::is_counting = is_warm && results < kHits - kTail;
    counted += counted_new::is_counting ? batch.size() : 0;
    return {};
  }
  std::uint64_t results = 0, counted = 0;

 private:
  const std::atomic<std::size_t>& warm_connections_;
};

struct Case {
  const char* name;
  std::string answer;
  bool is_closed;
  std::uint32_t shards;
  bool has_body = false;
  std::int32_t redirects = 10;
  bool figures_only = false;
};

// The same sink on the only shard's own thread.
class OnTheShard final : public ShardSinks {
 public:
  explicit OnTheShard(ResultSink& sink) : sink_(sink) {}
  ResultSink& sink_of(std::uint32_t, std::uint32_t) override { return sink_; }
  Expected<void> tick() override { return {}; }

 private:
  ResultSink& sink_;
};

class SteadyState : public testing::TestWithParam<Case> {};

TEST_P(SteadyState, AllocatesNothing) {
  const Case& c = GetParam();
  std::atomic<std::size_t> warm_connections{0};
  support::ScriptedServer server([&](std::size_t) {
    counted_new::thread_is = Thread::server;
    const auto last_of_warming = [&](const support::Seen&) {
      ++warm_connections;
      return c.answer;
    };
    // The first answer takes its time, so that all the connections are opened.
    Script script = Script().request().pause(support::Millis(100)).bytes(c.answer);
    for (int i = 0; i < 20; ++i) script.request().bytes(c.answer);
    return script.request().reply(last_of_warming).from_here().request().bytes(c.answer).again();
  });
  AttackOptions o;
  o.io = support::io_of_tests();
  o.shape = c.is_closed ? Shape::closed() : *parse_shape("6000/s");
  o.hits = kHits;
  o.max_workers = o.max_connections = kConnections;
  o.shards = c.shards;
  o.redirects = c.redirects;
  Target target{"GET", server.url("/steady"), {{"X-A", "b"}}, nullptr};
  if (c.has_body) target.body = std::make_shared<const std::string>(2000, 'x');
  auto attacker = Attacker::create(o, {target, target, target});
  ASSERT_TRUE(attacker);
  counted_new::by_shards = counted_new::by_collector = 0;
  CountingSink sink(warm_connections);
  counted_new::thread_is = Thread::collector;
  OnTheShard on_the_shard(sink);
  const auto summary = c.figures_only ? (*attacker)->run(on_the_shard) : (*attacker)->run(sink);
  counted_new::thread_is = Thread::server;
  counted_new::is_counting = false;
  ASSERT_TRUE(summary) << summary.error().text;
  EXPECT_EQ(sink.results, kHits);
  EXPECT_GT(sink.counted, kHits / 10);
  EXPECT_EQ(counted_new::by_shards, 0u);
  EXPECT_EQ(counted_new::by_collector, 0u);
}

const std::string kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: yes, and longer than a short string\r\n\r\n";

INSTANTIATE_TEST_SUITE_P(
    Attacks, SteadyState,
    testing::Values(Case{"closed", response(200, "0123456789abcdef"), true, 1},
                    Case{"closed_shards", response(200, "0123456789abcdef"), true, 2},
                    Case{"open", response(200, "0123456789abcdef"), false, 1}, Case{"chunked", kChunked, true, 1},
                    Case{"long_headers", response(200, "", "X-Long: " + std::string(400, 'h') + "\r\nLocation: /a/b\r\n"), true, 1},
                    Case{"large", response(200, std::string(100'000, 'l')), true, 1},
                    Case{"own_reason", "HTTP/1.1 404 There is no such thing here at all\r\nContent-Length: 0\r\n\r\n", true, 1},
                    Case{"post", response(201, "made"), true, 1, true},
                    Case{"redirected", response(307, "", "Location: /somewhere/else\r\n"), true, 1, true, 2},
                    Case{"figures", response(200, "0123456789abcdef"), true, 1, false, 10, true},
                    Case{"figures_of_failures", response(503, "", ""), true, 1, false, 10, true}),
    [](const auto& i) { return i.param.name; });

// Where connections, captures or targets do need memory, it is given back: as much is in use at the end as at the beginning.
struct Growing {
  const char* name;
  std::function<void(AttackOptions&)> change;
  std::function<Script()> script;
  bool is_lazy = false;
};

class LeastAlive final : public ResultSink {
 public:
  explicit LeastAlive(std::uint64_t hits) : hits_(hits) {}
  Expected<void> take(std::span<const Result> batch) override {
    results += batch.size();
    std::ptrdiff_t& least = results < hits_ / 2 ? early : late;
    if (results > hits_ / 4) least = std::min(least, counted_new::alive.load());
    return {};
  }
  std::uint64_t results = 0;
  std::ptrdiff_t early = PTRDIFF_MAX, late = PTRDIFF_MAX;

 private:
  const std::uint64_t hits_;
};

class NumberedSource final : public TargetSource {
 public:
  explicit NumberedSource(std::string base) : base_(std::move(base)) {}
  Expected<bool> next(Target& into) override {
    into = {"GET", base_ + std::to_string(next_++), {{"X-Header", "that is too long for a short string"}}, nullptr};
    return true;
  }
  void interrupt() override {}

 private:
  std::string base_;
  std::uint64_t next_ = 0;
};

class LongRun : public testing::TestWithParam<Growing> {};

TEST_P(LongRun, HoldsNoMoreAtItsEnd) {
  const Growing& c = GetParam();
  // How many targets wait to be sent goes up and down; so that a leak shows above that, it gets more time.
  const std::uint64_t hits = c.is_lazy ? 4 * kHits : kHits;
  const std::ptrdiff_t slack = c.is_lazy ? 4000 : 300;
  support::ScriptedServer server([&c](std::size_t) {
    counted_new::thread_is = Thread::server;
    return c.script();
  });
  AttackOptions o;
  o.io = support::io_of_tests();
  o.shape = Shape::closed();
  o.hits = hits;
  o.max_workers = 6;
  c.change(o);
  counted_new::thread_is = Thread::collector;
  auto attacker = c.is_lazy ? Attacker::create(o, std::make_unique<NumberedSource>(server.url("/")))
                            : Attacker::create(o, {Target{"GET", server.url(), {}, nullptr}});
  ASSERT_TRUE(attacker);
  LeastAlive sink(hits);
  ASSERT_TRUE((*attacker)->run(sink));
  EXPECT_EQ(sink.results, hits);
  EXPECT_LE(sink.late - sink.early, slack) << sink.early << " then " << sink.late;
}

// Ever another reason phrase, each too long for a short string.
std::string numbered_reason(const support::Seen& seen) {
  return "HTTP/1.1 500 This server has its own reason number " + seen.header("X-Thrum-Seq") + "\r\nContent-Length: 0\r\n\r\n";
}

// Ever another place to go to, with a name long enough for what is kept to be full early.
std::string numbered_location(const support::Seen& seen) {
  return response(302, "", "Location: /" + std::string(2000, 'x') + seen.header("X-Thrum-Seq") + "\r\n");
}

INSTANTIATE_TEST_SUITE_P(
    Attacks, LongRun,
    testing::Values(Growing{"no_keep_alive", [](auto& o) { o.keep_alive = false; }, [] { return support::answering(); }},
                    Growing{"closed_unanswered", [](auto&) {}, [] { return Script().request().close(); }},
                    Growing{"stale", [](auto&) {}, [] { return Script().answer().request().close(); }},
                    Growing{"captured", [](auto& o) { o.max_body = -1, o.capture_headers = true; },
                            [] { return support::answering(std::string(300, 'c')); }},
                    Growing{"reasons", [](auto&) {}, [] { return Script().request().reply(numbered_reason).again(); }},
                    Growing{"redirects", [](auto& o) { o.redirects = 1; },
                            [] { return Script().request().reply(numbered_location).again(); }},
                    Growing{"lazy", [](auto&) {}, [] { return support::answering(); }, true},
                    Growing{"shards", [](auto& o) { o.shards = 3, o.keep_alive = false; }, [] { return support::answering(); }}),
    [](const auto& i) { return i.param.name; });

// The count would see one: so that the zeros above mean something.
TEST(Counting, SeesAnAllocation) {
  THRUM_SKIP_WITHOUT_OWN_NEW();
  counted_new::by_shards = 0;
  counted_new::thread_is = Thread::shard;
  counted_new::is_counting = true;
  const auto p = std::make_unique<std::string>(100, 'x');
  counted_new::is_counting = false;
  EXPECT_GE(counted_new::by_shards, 2u);
}

}  // namespace
}  // namespace thrum::load
