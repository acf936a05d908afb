#include "measure/grouping.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace thrum {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GroupRules rules_of(std::initializer_list<const char*> texts) {
  GroupRules rules;
  for (const char* text : texts) EXPECT_TRUE(rules.add(text)) << text;
  return rules;
}

Result to(std::string_view url, Nanos latency = Nanos(1), std::string_view method = "GET") {
  Result r;
  r.url = url;
  r.method = method;
  r.latency = latency;
  r.code = 200;
  return r;
}

std::vector<std::string> names(const GroupTable& table) {
  std::vector<std::string> out;
  for (const Group& g : table.rows) out.push_back(g.name + " " + std::to_string(g.requests));
  return out;
}

TEST(GroupRules, FitSegmentBySegment) {
  const GroupRules rules = rules_of({"/user/me", "/user/:id", "/user/:id/orders/*", "/static/*", "/a/*/c", "/"});
  const std::pair<const char*, const char*> cases[] = {
      {"/user/me", "/user/me"},
      {"/user/5", "/user/:id"},
      {"/user/", ""},
      {"/user", ""},
      {"/user/5/", ""},
      {"/user/5/orders", ""},
      {"/user/5/orders/", ""},
      {"/user/5/orders/7/lines", "/user/:id/orders/*"},
      {"/static/css/a.css", "/static/*"},
      {"/static", ""},
      {"/a/b/c", "/a/*/c"},
      {"/a//c", ""},
      {"/a/b/d", ""},
      {"/", "/"},
      {"//", ""},
      {"", ""},
      {"no", ""},
  };
  for (const auto& [path, rule] : cases) EXPECT_EQ(rules.rule_for(path), rule) << path;
}

TEST(GroupRules, ABadOneIsRefusedWithAGoodExample) {
  GroupRules rules;
  for (const char* text : {"", "user/:id", "/user/:", "/user?id=:id", "/a#b"}) {
    const auto added = rules.add(text);
    ASSERT_FALSE(added) << text;
    EXPECT_THAT(added.error().text, HasSubstr("such as /user/:id"));
  }
  EXPECT_TRUE(rules.empty());
}

TEST(Groups, ByUrlWithRules) {
  Groups groups(GroupBy::url, rules_of({"/user/:id"}));
  for (int i = 0; i < 5000; ++i) groups.add(to("http://h:1/user/" + std::to_string(i) + "?q#f"), true);
  groups.add(to("http://h:1/x?a=1#f"), true);
  groups.add(to("http://h:1/x?a=2"), false);
  groups.add(to("http://h:1/x?a=2"), true);
  EXPECT_THAT(names(groups.table(100)), ElementsAre("http://h:1/user/:id 5000", "http://h:1/x?a=2 2", "http://h:1/x?a=1 1"));
  EXPECT_EQ(groups.table(100).rows[1].succeeded, 1u);
}

TEST(Groups, ByWhatElseAResultSays) {
  Result a = to("http://h/1"), b = to("https://u:p@g:2/1", Nanos(1), "POST");
  a.attack = "one";
  a.name = "login";
  b.code = 404;
  const auto by = [&](GroupBy what) {
    Groups groups(what, {});
    groups.add(a, true);
    groups.add(b, true);
    groups.add(b, true);
    return names(groups.table(100));
  };
  EXPECT_THAT(by(GroupBy::target), ElementsAre("POST https://u:p@g:2/1 2", "GET http://h/1 1"));
  EXPECT_THAT(by(GroupBy::method), ElementsAre("POST 2", "GET 1"));
  EXPECT_THAT(by(GroupBy::code), ElementsAre("404 2", "200 1"));
  EXPECT_THAT(by(GroupBy::attack), ElementsAre(" 2", "one 1"));
  EXPECT_THAT(by(GroupBy::name), ElementsAre(" 2", "login 1"));
  EXPECT_THAT(by(GroupBy::host), ElementsAre("g:2 2", "h 1"));
}

TEST(Groups, HoldAllTheirSamples) {
  Groups groups(GroupBy::url, {});
  for (int i = 1; i <= 100; ++i) {
    groups.add(to("http://h/a", Nanos(i)), true);
    groups.add(to("http://h/b", Nanos(1000 * i)), true);
  }
  const GroupTable table = groups.table(100);
  EXPECT_EQ(table.rows[0].latencies.quantile(0.5), Nanos(50));
  EXPECT_EQ(table.rows[1].latencies.quantile(0.5), Nanos(50'500));
  EXPECT_EQ(table.rows[1].latencies.max(), Nanos(100'000));
}

TEST(Groups, TheBusiestHaveARowAndTheRestIsOneGroup) {
  Groups groups(GroupBy::url, {});
  for (int i = 0; i < 10; ++i)
    for (int n = 0; n <= i; ++n) groups.add(to("http://h/" + std::to_string(i), Nanos(i)), true);
  const GroupTable table = groups.table(2);
  EXPECT_THAT(names(table), ElementsAre("http://h/9 10", "http://h/8 9"));
  EXPECT_EQ(table.others_count, 8u);
  EXPECT_EQ(table.others.requests, 36u);
  EXPECT_EQ(table.others.latencies.max(), Nanos(7));
  EXPECT_FALSE(table.others_overflowed);
}

TEST(Groups, TheirNumberAndNamesAreBounded) {
  Groups many(GroupBy::url, {});
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 5000; ++i) many.add(to("http://h/" + std::to_string(i)), true);
  GroupTable table = many.table(100);
  EXPECT_EQ(table.rows.size(), 100u);
  EXPECT_EQ(table.rows[0].requests, 2u);
  EXPECT_EQ(table.others_count, Groups::kMostGroups - 100);
  EXPECT_EQ(table.others.requests, 10'000u - 200);
  EXPECT_TRUE(table.others_overflowed);

  Groups longnamed(GroupBy::url, {});
  for (char c : std::string("abc")) longnamed.add(to("http://h/" + std::string(Groups::kMostBytes / 2, c)), true);
  table = longnamed.table(100);
  EXPECT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.others.requests, 2u);
}

TEST(GroupBy, HasNames) {
  for (const char* name : {"url", "target", "name", "method", "code", "attack", "host", "run"})
    EXPECT_EQ(name_of(*parse_group_by(name)), name);
  EXPECT_THAT(parse_group_by("path").error().text, HasSubstr("there are url, target, name, method, code, attack, host, run"));
}

}  // namespace
}  // namespace thrum
