#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "report/plot.hpp"
#include "report/plot_data.hpp"
#include "report/plot_template.hpp"

namespace thrum::report {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
constexpr std::int64_t kMs = 1'000'000, kSecond = 1'000'000'000;
constexpr Timestamp kStart{1'700'000'000, 0, 0};
constexpr std::string_view kDataBegin = R"(<script type="application/json" id="data">)";

Result result(std::uint64_t seq, std::int64_t sent, std::int64_t latency, std::string_view error = {}) {
  Result r;
  r.seq = seq;
  r.timestamp = kStart.plus(Nanos(sent));
  r.latency = Nanos(latency);
  r.code = error.empty() ? 200 : 503;
  r.error = error;
  return r;
}

std::string data_text(const std::string& page) {
  const std::size_t begin = page.find(kDataBegin) + kDataBegin.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}
json data_of(Plot& plot) { return json::parse(data_text(*plot.page())); }

PlotSource source(std::string file, std::string run_id = {}) {
  PlotSource s;
  s.file = std::move(file);
  s.run_id = std::move(run_id);
  return s;
}

std::vector<std::string> names(const json& data) {
  std::vector<std::string> all;
  for (const json& run : data.at("runs")) all.push_back(run.at("name"));
  return all;
}

std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(PlotPage, ResultsAreHostile) {
  const std::string nasty = "</script><script>alert(1)</script><!--\xe2\x80\xa8&\xff\x01\"'\\ {{data}} {{title}}";
  Plot plot(nasty, 4000);
  plot.add_source(source(nasty));
  Result r = result(0, 0, kMs, nasty);
  r.attack = nasty;
  plot.add(0, {&r, 1});
  const std::string page = *plot.page();
  EXPECT_EQ(occurrences(page, "</script>"), occurrences(plot_template(), "</script>"));
  EXPECT_EQ(occurrences(page, "<script"), occurrences(plot_template(), "<script"));
  EXPECT_EQ(occurrences(page, "<!--"), occurrences(plot_template(), "<!--"));
  const std::string data = data_text(page);
  for (const char* raw : {"<", ">", "&", "\xe2\x80\xa8", "\xff", "\x01"}) EXPECT_THAT(data, Not(HasSubstr(raw)));
  const std::string read = "</script><script>alert(1)</script><!--\xe2\x80\xa8&\xef\xbf\xbd\x01\"'\\ {{data}} {{title}}";
  const json parsed = json::parse(data);
  EXPECT_EQ(parsed.at("opts").at("title"), read);
  EXPECT_THAT(names(parsed), ElementsAre(read));
  EXPECT_EQ(parsed.at("runs")[0].at("files")[0], read);
  EXPECT_EQ(parsed.at("errors")[0], read);
}

TEST(PlotPage, TitlesAreEscapedAsGoDoes) {
  using namespace std::string_view_literals;
  EXPECT_EQ(html_escaped("<b>&\"'+\0"sv), "&lt;b&gt;&amp;&#34;&#39;&#43;\uFFFD");
}

TEST(PlotPage, NeedsNothingElse) {
  const std::string page(plot_template());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* outside : {" src=", " href=", "@import", "url(", "fetch(", "XMLHttpRequest", "importScripts", "innerHTML", "eval("})
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  EXPECT_EQ(occurrences(page, "{{title}}"), 2u);
  EXPECT_EQ(occurrences(page, "{{data}}"), 1u);
  EXPECT_THAT(page, HasSubstr("Copyright (c) 2022 Leon Sorokin"));
}

// A clock that was set back in the middle, and a second file with the same name and numbers.
TEST(PlotPage, ClocksThatStepAndRunsOfEqualNames) {
  Plot plot("t", 4000);
  plot.add_source(source("a.bin"));
  plot.add_source(source("b.bin"));
  for (std::size_t s = 0; s < 2; ++s) {
    std::vector<Result> results;
    for (std::uint64_t i = 0; i < 100; ++i)
      results.push_back(result(i, static_cast<std::int64_t>(i) * 10 * kMs - (i < 50 ? 0 : 50 * kMs), kMs));
    for (Result& r : results) r.attack = "same";
    plot.add(s, results);
  }
  const json data = data_of(plot);
  EXPECT_THAT(names(data), ElementsAre("same (a.bin)", "same (b.bin)"));
  ASSERT_EQ(data.at("series").size(), 2u);
  for (const json& series : data.at("series")) {
    const std::vector<double> x = series.at("points").at("x");
    EXPECT_EQ(x.size(), 100u);
    EXPECT_TRUE(std::ranges::is_sorted(x));
  }
}

TEST(PlotPage, ShardsOfARunAreOneRun) {
  Plot plot("t", 4000);
  plot.add_source(source("m1.bin", "1f"));
  plot.add_source(source("m2.bin", "1f"));
  plot.add_source(source("m3.bin", "2f"));
  for (std::size_t s = 0; s < 3; ++s) {
    const Result r = result(s, static_cast<std::int64_t>(s) * kSecond, kMs);
    plot.add(s, {&r, 1});
  }
  const json data = data_of(plot);
  ASSERT_EQ(data.at("runs").size(), 2u);
  EXPECT_EQ(data.at("runs")[0].at("results"), 2);
  EXPECT_EQ(data.at("runs")[0].at("files"), (std::vector<std::string>{"m1.bin", "m2.bin"}));
  EXPECT_EQ(data.at("runs")[1].at("after"), 2);
}

TEST(PlotPage, AnAttackNameInEveryResult) {
  Plot plot("t", 4000);
  plot.add_source(source("a.json"));
  std::vector<std::string> attacks;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string attack = "attack " + std::to_string(i);
    Result r = result(i, static_cast<std::int64_t>(i) * kMs, kMs);
    r.attack = attack;
    plot.add(0, {&r, 1});
  }
  const json data = data_of(plot);
  EXPECT_EQ(data.at("runs").size(), Plot::kMostRuns + 1);
  EXPECT_EQ(data.at("runs").back().at("name"), "other attacks");
  EXPECT_EQ(data.at("runs").back().at("results"), 1000 - Plot::kMostRuns);
}

// However many results: a small page that holds the lowest, the highest, and every one above p99.9.
TEST(PlotPage, NoSpikeIsLost) {
  Plot plot("t", 4000);
  plot.add_source(source("a.bin"));
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> latency(15, 0.7);
  std::vector<std::int64_t> all;
  std::vector<Result> results;
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    all.push_back(static_cast<std::int64_t>(latency(random)) * (random() % 5000 == 0 ? 40 : 1));
    results.push_back(result(i, static_cast<std::int64_t>(i) * 100'000, all.back(), random() % 100 == 0 ? "503 Service Unavailable" : ""));
  }
  std::ranges::shuffle(results, random);
  plot.add(0, results);
  const std::string page = *plot.page();
  EXPECT_LT(page.size(), 500'000u);
  const json data = json::parse(data_text(page));
  std::multiset<std::int64_t> shown;
  for (const json& series : data.at("series")) {
    EXPECT_EQ(series.at("points").at("x").size(), std::min(series.at("results").get<std::size_t>(), std::size_t{4000}));
    EXPECT_TRUE(std::ranges::is_sorted(series.at("extremes").at("x").get<std::vector<double>>()));
    for (const char* places : {"points", "extremes"})
      for (const double y : series.at(places).at("y")) shown.insert(std::llround(y * 1e6));
  }
  std::ranges::sort(all);
  EXPECT_TRUE(shown.contains(all.front()));
  for (std::size_t i = all.size() - all.size() / 1000; i < all.size(); ++i) {
    const auto at = shown.find(all[i]);
    ASSERT_NE(at, shown.end()) << all[i];
    shown.erase(at);  // each is there on its own
  }
}

Plan plan_of_hundred_per_second(std::uint64_t scheduled, std::uint64_t missed) {
  Plan plan;
  plan.start = kStart;
  plan.shape = "100/s";
  plan.rate = 100;
  plan.asked = *parse_shape("100/s");
  plan.duration = Nanos(static_cast<std::int64_t>(scheduled) * 10 * kMs);
  plan.summary.emplace();
  plan.summary->books.scheduled = scheduled;
  plan.summary->books.missed = missed;
  return plan;
}

// What was asked goes on when nothing is sent any more.
TEST(PlotPage, MissedHitsWereAskedFor) {
  Plot plot("t", 4000);
  plot.add_source(source("a.bin"));
  for (std::uint64_t i = 0; i < 150; ++i) {
    Result r = result(i, static_cast<std::int64_t>(i) * 10 * kMs + 2000, kMs);
    r.lag = Nanos(2000);
    plot.add(0, {&r, 1});
  }
  plot.source(0).plan = plan_of_hundred_per_second(300, 150);
  plot.source(0).marks = {{Nanos(1500 * kMs), "stop: nothing more"}};
  const json run = data_of(plot).at("runs")[0];
  EXPECT_EQ(run.at("asked"), "100/s");
  EXPECT_EQ(run.at("missed"), 150);
  EXPECT_EQ(run.at("bins").at("asked"), json({100, 100, 100}));
  EXPECT_EQ(run.at("bins").at("sent"), json({100, 50, 0}));
  EXPECT_EQ(run.at("bins").at("lag").at("p50"), json({0.002, 0.002, nullptr}));
  EXPECT_EQ(run.at("marks"), json({{{"at", 1.499}, {"text", "stop: nothing more"}}}));
}

// Where the rate changed on the way, what is known is when the hits that were sent had been due.
TEST(PlotPage, AfterARateChangeAskedIsWhatWasDue) {
  Plot plot("t", 4000);
  plot.add_source(source("a.bin"));
  for (std::uint64_t i = 0; i < 3; ++i) {
    Result r = result(i, static_cast<std::int64_t>(i) * 500 * kMs + kSecond, kMs);
    r.lag = Nanos(i == 2 ? kSecond : 0);
    plot.add(0, {&r, 1});
  }
  plot.source(0).plan = plan_of_hundred_per_second(300, 0);
  plot.source(0).rate_changed = true;
  EXPECT_EQ(data_of(plot).at("runs")[0].at("bins").at("asked"), json({3, 0}));
}

TEST(PlotPage, FilesOfOthersDoNotSayWhatWasAsked) {
  Plot plot("t", 4000);
  plot.add_source(source("a.gob"));
  const Result r = result(0, 0, kMs);
  plot.add(0, {&r, 1});
  const json run = data_of(plot).at("runs")[0];
  EXPECT_TRUE(run.at("missed").is_null() && run.at("bins").at("asked").is_null() && run.at("bins").at("lag").is_null());
  EXPECT_EQ(run.at("asked"), "");
}

TEST(PlotPage, FourRunsAreAFewHundredKilobytes) {
  Plot plot("t", 4000);
  std::mt19937_64 random(3);
  for (std::size_t s = 0; s < 4; ++s) {
    plot.add_source(source(std::to_string(s) + ".bin"));
    std::vector<Result> results;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      results.push_back(result(i, static_cast<std::int64_t>(i * 5 * kMs + random() % 100'000),
                               static_cast<std::int64_t>(random() % kSecond), random() % 3 == 0 ? "503 Service Unavailable" : ""));
      results.back().lag = Nanos(static_cast<std::int64_t>(random() % 1'000'000));
    }
    plot.add(s, results);
  }
  EXPECT_LT(plot.page()->size(), 400'000u);
}

}  // namespace
}  // namespace thrum::report
