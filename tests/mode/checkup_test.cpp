// What doctor says of made-up machines (tests/data/host), and what an attack is warned of.
#include "mode/checkup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "http/url.hpp"
#include "mode/doctor.hpp"

namespace thrum::mode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kMachines = std::filesystem::path(THRUM_TEST_DATA) / "host";

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Of a machine in the tree; what is not read from there is made up, too.
MachineFacts facts_of(const std::string& machine, const Demand& demand = {}) {
  MachineFacts m = look_at_machine(demand, (kMachines / machine).string());
  m.descriptors = {1024, 1'048'576};
  m.cores.allowed = 8;
  return m;
}

std::string said(const std::vector<Finding>& all, std::string_view check) {
  for (const Finding& f : all)
    if (f.check == check) return std::string(name_of(f.level)) + ": " + f.says;
  return "none";
}

struct Patient {
  std::string machine;
  Demand demand;
};

std::vector<Patient> patients() {
  Demand local{.rate = 100, .is_on_this_machine = true, .port = 18080};
  Demand many{.connections = 4000};
  Demand fresh{.rate = 1000, .keep_alive = false, .is_on_this_machine = true, .port = 8080};
  return {{"laptop", local}, {"container", many}, {"old", fresh}, {"bare", {}}};
}

TEST(Checkup, OfEachMachineAsExpected) {
  for (const auto& [machine, demand] : patients()) {
    MachineFacts m = facts_of(machine, demand);
    if (machine == "laptop") m.timer = host::TimerError{Nanos(52'000), Nanos(180'000), Nanos(900'000)};
    if (machine == "old") m.timer = host::TimerError{Nanos(150'000), Nanos(4'100'000), Nanos(9'000'000)};
    const std::filesystem::path expected = kMachines / "expected" / (machine + ".txt");
    const std::string text = findings_as_text(findings(m, demand));
    if (std::getenv("THRUM_UPDATE_EXPECTED") != nullptr) {
      std::filesystem::create_directories(expected.parent_path());
      std::ofstream(expected) << text;
    }
    EXPECT_EQ(text, read(expected)) << machine << ": look at the difference, then run with THRUM_UPDATE_EXPECTED=1";
  }
}

TEST(Checkup, WhatCannotBeSeenIsNoFinding) {
  for (const Finding& f : findings(facts_of("bare"), {})) {
    EXPECT_LE(f.level, Level::ok) << f.check;
    EXPECT_FALSE(f.says.empty()) << f.check;
  }
  EXPECT_THAT(forewarnings(facts_of("bare"), {.rate = 1e6, .connections = 10'000}), IsEmpty());
}

TEST(Checkup, JsonHoldsTheSame) {
  const auto all = findings(facts_of("old"), {});
  const std::string json = findings_as_json(all);
  EXPECT_THAT(json, HasSubstr(R"({"worst":"warning","findings":[{"check":"descriptors","level":"ok","says":"1048576 open files)"));
  EXPECT_THAT(json, HasSubstr(R"({"check":"timers","level":"unknown","says":"not known here","value":null,"unit":null,"cure":null})"));
  EXPECT_THAT(json, HasSubstr(R"("value":20,"unit":"%","cure":"a machine with cores of its own)"));
}

TEST(Forewarnings, OnlyWhatThisAttackWillMeet) {
  const MachineFacts m = facts_of("laptop");
  EXPECT_THAT(forewarnings(m, {}), IsEmpty());
  EXPECT_THAT(forewarnings(m, {.rate = 50'000}), IsEmpty());
  EXPECT_THAT(forewarnings(m, {.rate = 470, .keep_alive = false}), IsEmpty());
  const auto ports = forewarnings(m, {.rate = 471, .keep_alive = false});
  ASSERT_EQ(ports.size(), 1u);
  EXPECT_THAT(ports[0].says, HasSubstr("-keepalive=false at 471/s"));
  EXPECT_THAT(ports[0].says, HasSubstr("rests for 60 s: this machine's 28232 ports can be used up in 60s"));
}

TEST(Forewarnings, PortsRestOnlyAsLongAsTheyMust) {
  MachineFacts m = facts_of("laptop");
  Demand d{.rate = 20'000, .keep_alive = false, .is_on_this_machine = true};
  EXPECT_THAT(forewarnings(m, d), IsEmpty());  // over loopback they may be taken again after a second
  d.rate = 30'000;
  EXPECT_THAT(forewarnings(m, d)[0].says, HasSubstr("rests for 1 s"));
  d.rate = 20'000;
  m.tcp.timestamps = 0;
  EXPECT_THAT(forewarnings(m, d)[0].says, HasSubstr("rests for 60 s"));
  m.tcp.timestamps = 1;
  d.is_on_this_machine = false;
  EXPECT_THAT(forewarnings(m, d)[0].cure, HasSubstr("tcp_tw_reuse=1"));
  m.tcp.time_wait_reuse = 1;
  EXPECT_THAT(forewarnings(m, d), IsEmpty());
}

TEST(Forewarnings, PortsAreEnoughForFewHitsOrManyAddressesOrNoNetwork) {
  const MachineFacts m = facts_of("laptop");
  const Demand d{.rate = 1000, .keep_alive = false};
  EXPECT_EQ(forewarnings(m, d).size(), 1u);
  Demand brief = d, few = d, wide = d, local = d;
  brief.duration = Nanos(28'000'000'000);
  few.hits = 28'000;
  wide.local_addresses = 3;
  local.is_over_tcp = false;
  for (const Demand& enough : {brief, few, wide, local}) EXPECT_THAT(forewarnings(m, enough), IsEmpty());
}

TEST(Forewarnings, ConnectionsNeedDescriptorsAndPorts) {
  MachineFacts m = facts_of("laptop");
  m.descriptors = {64, 64};
  EXPECT_THAT(forewarnings(m, {.connections = 32}), IsEmpty());
  EXPECT_EQ(forewarnings(m, {.connections = 500})[0].says, "500 connections at once need 532 open files, and this process may have 64");
  m = facts_of("laptop");
  EXPECT_EQ(forewarnings(m, {.connections = 30'000})[0].says,
            "30000 connections at once need as many local ports, and there are 28232 to one address");
}

TEST(Forewarnings, AQuotaBelowACoreAndASlowClock) {
  const MachineFacts half = facts_of("container"), slow = facts_of("old");
  EXPECT_THAT(forewarnings(half, {})[0].says, HasSubstr("the control group may use 0.50 cores"));
  EXPECT_EQ(forewarnings(half, {.rate = 10'000}).size(), 1u);
  EXPECT_THAT(forewarnings(half, {.rate = 9'999}), IsEmpty());
  EXPECT_THAT(forewarnings(slow, {.rate = 1000})[0].says, HasSubstr("the clock source is hpet"));
  EXPECT_THAT(forewarnings(slow, {.rate = 999}), IsEmpty());
}

TEST(Checkup, AListenQueueIsAskedAboutWhereTheTargetIsHere) {
  const Demand d{.connections = 100, .is_on_this_machine = true, .port = 18080};
  MachineFacts m = facts_of("laptop", d);
  m.listener = host::Listener{5, 511};
  EXPECT_EQ(said(findings(m, d), "backlog"),
            "ok: 5 connections wait to be accepted on port 18080, 511 may; 3 overflows since this machine started");
  m.listener = host::Listener{5, 64};
  EXPECT_THAT(said(findings(m, d), "backlog"), testing::StartsWith("note: 5 connections wait"));
  m.listener = host::Listener{65, 64};
  EXPECT_THAT(said(findings(m, d), "backlog"), testing::StartsWith("warning: 65 connections wait"));
  m.listener.reset();
  EXPECT_EQ(said(findings(m, d), "backlog"), "warning: nobody listens on port 18080");
}

Demand asked(const AttackRequest& request, std::vector<std::string> urls = {"http://127.0.0.1:81/"}) { return demand_of(request, urls); }

TEST(DemandOfAnAttack, ConnectionsAreThoseThatWereAskedFor) {
  AttackRequest r;
  EXPECT_EQ(asked(r).connections, 0u);
  r.options.max_workers = 500;
  r.options.timeout = Nanos(1'000'000'000);
  EXPECT_EQ(asked(r).connections, 50u);  // 50/s that take a second at most
  r.options.shape = Shape::closed();
  EXPECT_EQ(asked(r).connections, 500u);
  EXPECT_EQ(asked(r, {"http://a/", "HTTPS://b/"}).connections, 0u);  // HTTP/2 shares them
  r.options.http2 = false;
  EXPECT_EQ(asked(r, {"https://b/"}).connections, 500u);
  r.options.max_connections = 70;
  EXPECT_EQ(asked(r).connections, 70u);
  r.options.hits = 7;
  EXPECT_EQ(asked(r).connections, 7u);
  r.options.preconnect = 90;
  EXPECT_EQ(asked(r).connections, 90u);
}

TEST(DemandOfAnAttack, TheTargetIsHereIfAllOfThemAre) {
  AttackRequest r;
  EXPECT_TRUE(asked(r).is_on_this_machine);
  EXPECT_EQ(asked(r).port, 81);
  EXPECT_TRUE(asked(r, {"http://localhost/", "http://[::1]/"}).is_on_this_machine);
  EXPECT_FALSE(asked(r, {"http://localhost/", "http://192.0.2.1/"}).is_on_this_machine);
  EXPECT_FALSE(asked(r, {}).is_on_this_machine);
  r.options.proxy.url = "http://192.0.2.1:3128";
  EXPECT_FALSE(asked(r).is_on_this_machine);
  r.options.proxy.url.clear();
  r.options.unix_socket = "/run/x";
  EXPECT_FALSE(asked(r).is_over_tcp);
}

TEST(DemandOfAnAttack, TheDurationIsTheShorterOfTheRatesAndItsOwn) {
  AttackRequest r;
  EXPECT_EQ(asked(r).duration, Nanos(0));
  r.options.shape = *parse_shape("10..500/s over 1m");
  EXPECT_EQ(asked(r).duration, std::chrono::minutes(1));
  EXPECT_EQ(asked(r).rate, 500);
  r.options.duration = std::chrono::seconds(5);
  EXPECT_EQ(asked(r).duration, std::chrono::seconds(5));
}

}  // namespace
}  // namespace thrum::mode
