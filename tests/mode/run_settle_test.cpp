// What a run is where little was said.
#include <gmock/gmock.h>

#include "mode/masked_flags.hpp"
#include "mode/run.hpp"

namespace thrum::mode {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

RunRequest request() {
  RunRequest r;
  r.url = "http://127.0.0.1:1/";
  return r;
}

RunRequest settled(RunRequest r, std::uint32_t cores = 8) {
  const auto done = settle(r, cores);
  EXPECT_TRUE(done) << done.error().text;
  return r;
}

TEST(RunSettle, NothingSaidIsAHundredRequestsByAsManyAsCores) {
  const RunRequest r = settled(request());
  const AttackOptions& o = r.attack.options;
  EXPECT_TRUE(o.shape.is_closed());
  EXPECT_EQ(o.hits, 100u);
  EXPECT_EQ(o.max_workers, 8u);
  EXPECT_EQ(o.timeout, 20s);
  EXPECT_EQ(r.attack.latency, LatencyClock::response);
  EXPECT_EQ(r.attack.success, "2xx");
  EXPECT_EQ(load_words(r), "100 requests, 8 at once");
}

TEST(RunSettle, ConcurrencyThatNobodyTypedGivesWay) {
  RunRequest r = request();
  r.number = 2;
  EXPECT_EQ(settled(r).attack.options.max_workers, 2u);
  EXPECT_EQ(load_words(settled(r)), "2 requests, 2 at once");
  r.concurrency = 3;
  const auto refused = settle(r, 8);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().text, HasSubstr("-c=3 requests at once are more than -n=2"));
  r = request();
  r.duration = 30s;
  r.concurrency = 500;
  EXPECT_EQ(settled(r).attack.options.hits, kUnlimited);
  EXPECT_EQ(load_words(settled(r)), "for 30s, 500 at once");
}

TEST(RunSettle, ARateHasNoBoundUnlessOneIsGiven) {
  RunRequest r = request();
  r.rate = *parse_shape("50/s");
  EXPECT_EQ(settled(r).attack.options.hits, 100u);
  EXPECT_EQ(settled(r).attack.options.max_workers, kUnlimited);
  EXPECT_THAT(load_words(settled(r)), HasSubstr("100 requests at 50/"));
  r.concurrency = 200;  // more than there are requests: only a bound
  EXPECT_THAT(load_words(settled(r)), HasSubstr(", at most 200 at once"));
  r.rate = *parse_shape("1..9/s over 10s");
  EXPECT_EQ(settled(r).attack.options.hits, kUnlimited) << "it ends by itself";
  r.number = 7;
  EXPECT_EQ(settled(r).attack.options.hits, 7u);
}

TEST(RunSettle, AUserAgentIsAHeaderUnlessThereIsOne) {
  RunRequest r = request();
  r.user_agent = "me";
  EXPECT_THAT(settled(r).attack.options.headers, ElementsAre(Pair("User-Agent", "me")));
  r.attack.options.headers = {{"user-agent", "you"}};
  EXPECT_THAT(settled(r).attack.options.headers, ElementsAre(Pair("user-agent", "you")));
}

TEST(MaskedFlags, LeaveOutWhatOpensDoors) {
  EXPECT_EQ(masked_url("http://me:secret@host/a@b"), "http://me:***@host/a@b");
  EXPECT_EQ(masked_url("http://host/a@b"), "http://host/a@b");
  EXPECT_EQ(masked_url("http://host?a@b"), "http://host?a@b");
  EXPECT_EQ(masked_url("me:secret@proxy:1"), "me:***@proxy:1");
  EXPECT_THAT(masked({{"header", "Authorization: Bearer x"}, {"header", "Accept: y"}, {"proxy", "http://u:p@h:1"}}),
              ElementsAre(Pair("header", "Authorization: Bearer ***"), Pair("header", "Accept: y"), Pair("proxy", "http://u:***@h:1")));
}

}  // namespace
}  // namespace thrum::mode
