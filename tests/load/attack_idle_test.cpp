// An attack that has nothing to do costs nothing: whatever it waits for, it sleeps.
#include <gtest/gtest.h>
#include <time.h>

#include <thread>

#include "attack_run.hpp"
#include "scripted_source.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using namespace std::chrono_literals;
using support::answering;
using support::Script;
using support::ScriptedServer;

Nanos process_cpu() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return Nanos(t.tv_sec * 1'000'000'000 + t.tv_nsec);
}

struct Case {
  const char* name;
  std::function<void(AttackOptions&)> change;
  bool is_silent = true;  // the server
};

class Waiting : public testing::TestWithParam<Case> {};

// For half a second there is little or nothing to send; a loop that doesn't sleep would take all of it in CPU.
TEST_P(Waiting, CostsNoCpu) {
  const Case& c = GetParam();
  ScriptedServer server(c.is_silent ? Script().request() : answering());
  AttackOptions o = open_attack("20/s", 0s);
  c.change(o);
  const auto attacker = make_attacker(o, get({server.url("/a"), server.url("/b")}));
  const Nanos before = process_cpu();
  std::thread other([&] {
    std::this_thread::sleep_for(500ms);
    attacker->cut();
  });
  const Ran r = run(*attacker);
  other.join();
  EXPECT_LT(process_cpu() - before, 250ms);
  expect_sound(r, o);
}

INSTANTIATE_TEST_SUITE_P(Table, Waiting,
                         testing::Values(Case{"closed", [](auto& o) { o.shape = Shape::closed(), o.max_workers = 4; }},
                                         Case{"slow_rate", [](auto&) {}, false},
                                         Case{"slowest_rate", [](auto& o) { o.shape = *parse_shape("0.000000001/h"); }, false},
                                         Case{"workers", [](auto& o) { o.shape = *parse_shape("5000/s"), o.max_workers = 3; }},
                                         Case{"connections", [](auto& o) { o.shape = *parse_shape("5000/s"), o.max_connections = 2; }},
                                         Case{"shards", [](auto& o) { o.shape = Shape::closed(), o.max_workers = 8, o.shards = 8; }},
                                         Case{"percent",
                                              [](auto& o) {
                                                o.shape = *parse_shape("200/s"), o.max_connections = 1, o.max_workers = 40;
                                                o.catch_up = {CatchUp::Mode::percent, 10};
                                              },
                                              false},
                                         Case{"none", [](auto& o) { o.catch_up.mode = CatchUp::Mode::none, o.max_workers = 1; }},
                                         Case{"in_flight_after_the_end", [](auto& o) { o.duration = 50ms; }},
                                         Case{"no_timeout", [](auto& o) { o.duration = 50ms, o.timeout = 0s; }},
                                         Case{"long_times", [](auto& o) { o.duration = o.timeout = o.grace = Nanos::max(); }},
                                         Case{"grace", [](auto& o) { o.duration = 50ms, o.grace = 10s; }},
                                         Case{"spin_at_a_slow_rate", [](auto& o) { o.spin = 5ms; }, false}),
                         [](const auto& i) { return i.param.name; });

TEST(WaitingForTargets, CostsNoCpu) {
  ScriptedServer server(answering());
  auto source =
      std::make_unique<ScriptedSource>([&](std::uint64_t) -> Expected<std::optional<Target>> { return target_of(server.url()); }, 3);
  AttackOptions o = open_attack("1000/s", 500ms);
  o.shards = 2;
  const Nanos before = process_cpu();
  const Ran r = attack(o, std::move(source));
  EXPECT_LT(process_cpu() - before, 250ms);
  EXPECT_EQ(r.books().sent, 3u);
}

}  // namespace
}  // namespace thrum::load
