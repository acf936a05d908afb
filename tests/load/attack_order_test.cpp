// Which targets an attack sends, in which order: a function of the hit's number, the seed and nothing else.
#include <gmock/gmock.h>

#include <map>

#include "attack_run.hpp"
#include "load/picker.hpp"
#include "scripted_source.hpp"
#include "support/scripted_server.hpp"

namespace thrum::load {
namespace {

using support::answering;
using support::ScriptedServer;

std::vector<Target> three(const ScriptedServer& server) {
  std::vector<Target> targets = get({server.url("/a"), server.url("/b"), server.url("/c")});
  targets[0].name = "first";
  targets[0].weight = 5;
  targets[2].weight = 2;
  return targets;
}

struct Case {
  Order order;
  std::uint32_t shards;
  bool is_closed;
};

class AttackOrder : public testing::TestWithParam<Case> {};

TEST_P(AttackOrder, IsTheSameForAnyNumberOfShards) {
  const Case& c = GetParam();
  ScriptedServer server(answering());
  AttackOptions o = c.is_closed ? closed_attack(4, 80) : open_hits("2000/s", 80);
  o.order = c.order;
  o.seed = 11;
  o.shards = c.shards;
  const std::vector<Target> targets = three(server);
  const Ran r = attack(o, targets);
  ASSERT_EQ(r.results.size(), 80u);
  const Picker wanted = *Picker::make(c.order, std::vector<std::uint32_t>{5, 0, 2}, 11);
  for (const Kept& k : r.results) {
    EXPECT_EQ(k.url, targets[wanted.target_of(k.seq)].url) << k.seq;
    EXPECT_EQ(k.name, targets[wanted.target_of(k.seq)].name) << k.seq;
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, AttackOrder,
                         testing::Values(Case{Order::sequence, 1, false}, Case{Order::shuffle, 1, false}, Case{Order::shuffle, 3, false},
                                         Case{Order::random, 2, false}, Case{Order::random, 2, true}, Case{Order::weighted, 1, false},
                                         Case{Order::weighted, 3, false}, Case{Order::weighted, 2, true}),
                         [](const auto& i) {
                           return std::string(name_of(i.param.order)) + (i.param.is_closed ? "_closed" : "_open") +
                                  std::to_string(i.param.shards);
                         });

TEST(AttackOrder, IsByWeightWhereThereIsOne) {
  ScriptedServer server(answering());
  std::map<std::string, int> counts;
  for (const Kept& k : attack(open_hits("2000/s", 80), three(server)).results) ++counts[k.url];
  EXPECT_EQ(counts[server.url("/a")], 50);
  EXPECT_EQ(counts[server.url("/b")], 10);
  EXPECT_EQ(counts[server.url("/c")], 20);
}

TEST(AttackOrder, OfLazyTargetsIsTheirs) {
  AttackOptions o = open_hits("1000/s", 1);
  o.order = Order::shuffle;
  const auto made = Attacker::create(o, std::make_unique<ScriptedSource>([](std::uint64_t) { return Target{}; }, 0));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::usage);
  EXPECT_THAT(made.error().text, testing::StartsWith("-order=shuffle has to know all targets before the attack"));
}

}  // namespace
}  // namespace thrum::load
