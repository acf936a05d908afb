// The screen of a run at all sizes: nothing overlaps, nothing is outside, and each view says what it should.
#include "ui/run_screen.hpp"

#include <gmock/gmock.h>

#include <string>

namespace thrum::ui {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::pair<int, int> kSizes[]{{60, 18}, {80, 24}, {100, 30}, {120, 46}, {200, 60}, {300, 80}};

Key key(char32_t c) { return {Key::Kind::text, c}; }

RunView view(int seconds = 40) {
  RunView v{
      .method = "GET", .url = "http://127.0.0.1:18080/api/products", .load = "for 1m0s, 50 at once", .duration = std::chrono::seconds(60)};
  v.settings = {{"duration", "1m"}, {"concurrency", "50"}};
  v.elapsed = Nanos(seconds * 1'000'000'000LL);
  v.concurrency = 50;
  v.in_flight = 50;
  v.connections_open = 50;
  v.busy = 0.42;
  std::uint64_t seq = 0;
  for (int at = 0; at < seconds; ++at) {
    RunBlock block;
    RunSecond& s = block.seconds.emplace_back(RunSecond{.at = at});
    for (int i = 0; i < 200; ++i) {
      const bool is_good = i % 20 != 0;
      ++(is_good ? s.ok : s.failed);
      const Nanos latency((1 + i % 30) * 1'000'000);
      s.latencies.record(latency);
      if (i < 10) {
        RecentResult r{seq++, Nanos(at * 1'000'000'000LL + i * 1'000'000), latency, latency, latency / 2, Nanos(0), 803, 200, true, ""};
        if (!is_good) {
          r.status = 503, r.is_good = false, r.error = "503 \x1b[31mUnavailable";
          Result failed;
          failed.code = 503;
          failed.error = r.error;
          for (int n = 0; n < 10; ++n) block.causes.add(failed);
          block.failures.push_back(r);
        } else {
          block.recent.push_back(r);
        }
      }
    }
    block.codes = {{200, s.ok}, {503, s.failed}};
    block.first_bytes.record(Nanos(500'000));
    v.watch.add(block);
  }
  return v;
}

RunView over(Level level = Level::degraded) {
  RunView v = view();
  v.state = RunState::done;
  v.summary = "8000 requests, 200/s, p50 15ms, p99 30ms, 400 failed, 6.4 MB, 40s";
  v.verdict = {level, {{Level::degraded, "some_failed", "5 % of requests failed"}, {Level::healthy, "steady", "throughput was steady"}}};
  return v;
}

std::string drawn(RunScreen& screen, const RunView& v, int width, int height) {
  Grid grid(width, height);
  screen.draw(grid, v);
  std::string out;
  for (int y = 0; y < height; ++y) out += grid.line(y) + '\n';
  return out;
}

// Every box is whole: no text and no other box stands in its edges.
void expect_whole_boxes(const Grid& g, const std::string& where) {
  for (int y = 0; y < g.height(); ++y) {
    for (int x = 0; x < g.width(); ++x) {
      if (g.at(x, y).glyph != U'╭') continue;
      int right = x + 1, below = y + 1;
      while (right < g.width() && g.at(right, y).glyph != U'╮') ++right;
      while (below < g.height() && g.at(x, below).glyph != U'╰') ++below;
      ASSERT_LT(right, g.width()) << where;
      ASSERT_LT(below, g.height()) << where;
      EXPECT_EQ(static_cast<int>(g.at(right, below).glyph), static_cast<int>(U'╯')) << where << " box at " << x << ',' << y;
      for (int i = y + 1; i < below; ++i) {
        EXPECT_EQ(static_cast<int>(g.at(x, i).glyph), static_cast<int>(U'│')) << where << ": " << g.line(i);
        EXPECT_EQ(static_cast<int>(g.at(right, i).glyph), static_cast<int>(U'│')) << where << ": " << g.line(i);
      }
    }
  }
}

TEST(RunScreen, EveryViewAtEverySize) {
  RunView warming = view(0), paused = view(), empty = view(0);
  warming.state = RunState::warming;
  warming.warmup_left = Nanos(3'000'000'000);
  warming.warmup_sent = 1234;
  paused.state = RunState::paused;
  for (const auto& [width, height] : kSizes) {
    for (const RunView& v : {view(), view(1), view(600), warming, paused, empty, over(), over(Level::failing)}) {
      RunScreen screen;
      for (const char32_t tab : {U'1', U'2', U'3'}) {
        screen.press(key(tab), v);
        for (int open = 0; open < (tab == U'3' ? 2 : 1); ++open) {
          if (open == 1) screen.press({Key::Kind::enter}, v);
          Grid grid(width, height);
          screen.draw(grid, v);
          const std::string where = std::to_string(width) + "x" + std::to_string(height) + " view " + static_cast<char>(tab);
          expect_whole_boxes(grid, where);
          EXPECT_THAT(grid.line(0), HasSubstr("thrum  GET http://127.0.0.1")) << where;
          EXPECT_THAT(grid.line(height - 1), AllOf(HasSubstr("? keys"), HasSubstr("q quit"))) << where;
        }
      }
    }
  }
}

TEST(RunScreen, TooSmallIsSaidInTheMiddle) {
  for (const auto& [width, height] : {std::pair{59, 40}, std::pair{200, 17}, std::pair{20, 5}, std::pair{1, 1}}) {
    RunScreen screen;
    const std::string text = drawn(screen, view(), width, height);
    if (width > 40) {
      EXPECT_THAT(text, HasSubstr("is too small: 60×18 needed"));
    }
    EXPECT_THAT(text, Not(HasSubstr("Live")));
  }
}

TEST(RunScreen, LiveSaysHowItGoes) {
  RunScreen screen;
  const std::string text = drawn(screen, view(), 120, 46);
  for (const char* part :
       {"● running  50 at once  40s", "40s of 1m0s · 20s left", " 66 %", "now 200/s", "p50 15", "p99 30", "ok 95 %",
        "Requests a second (mean 200/s)", "Errors by cause", "503 \\x1b[31mUnavailable", "400", "Figures", "thread busy"})
    EXPECT_THAT(text, HasSubstr(part));
  RunView v = view();
  v.notice = "55 at once";
  EXPECT_THAT(drawn(screen, v, 120, 46), HasSubstr("\n 55 at once"));
}

TEST(RunScreen, AnEmptyChartSaysWhy) {
  RunScreen screen;
  EXPECT_THAT(drawn(screen, view(0), 100, 30), HasSubstr("the first second isn't over"));
  RunView v = view(0);
  v.state = RunState::warming;
  EXPECT_THAT(drawn(screen, v, 100, 30), HasSubstr("warming up: nothing counts yet"));
}

TEST(RunScreen, TheVerdictTakesThePlaceOfProgress) {
  RunScreen screen;
  const std::string text = drawn(screen, over(), 120, 46);
  EXPECT_THAT(text, HasSubstr("✔ done"));
  EXPECT_THAT(text, HasSubstr(" ▲ Degraded   8000 requests, 200/s"));
  EXPECT_THAT(text, HasSubstr("\n ▲ 5 % of requests failed\n ✔ throughput was steady\n"));
}

TEST(RunScreen, KeysAskWhatTheirTableSays) {
  const RunView running = view(), finished = over();
  const auto asked = [](Key k, const RunView& v) {
    RunScreen screen;
    return screen.press(k, v);
  };
  for (const char32_t c : {U' ', U'p'}) EXPECT_EQ(asked(key(c), running), RunCommand::pause);
  for (const char32_t c : {U's', U'i'}) EXPECT_EQ(asked(key(c), running), RunCommand::stop);
  EXPECT_EQ(asked(key(U'+'), running), RunCommand::more);
  EXPECT_EQ(asked(key(U'-'), running), RunCommand::fewer);
  EXPECT_EQ(asked(key(U'>'), running), RunCommand::faster);
  EXPECT_EQ(asked(key(U'<'), running), RunCommand::slower);
  for (const RunView& v : {running, finished}) {
    EXPECT_EQ(asked(key(U'r'), v), RunCommand::again);
    EXPECT_EQ(asked(key(U'e'), v), RunCommand::edit);
    EXPECT_EQ(asked(key(U'E'), v), RunCommand::edit);
  }
  for (const char32_t c : {U'w', U'y'}) EXPECT_EQ(asked(key(c), running), RunCommand::none);  // nothing is open
  for (const char32_t c : {U' ', U'p', U's', U'i', U'+', U'-', U'<', U'>'})
    EXPECT_EQ(asked(key(c), finished), RunCommand::none) << static_cast<char>(c);
  for (const Key& k : {key(U'q'), Key{Key::Kind::escape}, Key{Key::Kind::interrupt}}) EXPECT_EQ(asked(k, running), RunCommand::leave);
}

TEST(RunScreen, TabsTurnBothWays) {
  RunScreen screen;
  const RunView v = view();
  screen.press({Key::Kind::tab}, v);
  EXPECT_THAT(drawn(screen, v, 120, 46), HasSubstr("Distribution"));
  screen.press({Key::Kind::right}, v);
  EXPECT_THAT(drawn(screen, v, 120, 46), HasSubstr("of 400 kept"));
  screen.press({Key::Kind::tab}, v);
  EXPECT_THAT(drawn(screen, v, 120, 46), HasSubstr("second by second"));
  screen.press({Key::Kind::back_tab}, v);
  EXPECT_THAT(drawn(screen, v, 120, 46), HasSubstr("of 400 kept"));
}

TEST(RunScreen, HelpIsLetGoOfFirst) {
  RunScreen screen;
  const RunView v = view();
  screen.press(key(U'?'), v);
  EXPECT_THAT(drawn(screen, v, 80, 24), HasSubstr("pause, resume"));
  EXPECT_EQ(screen.press({Key::Kind::escape}, v), RunCommand::none);
  EXPECT_THAT(drawn(screen, v, 80, 24), Not(HasSubstr("pause, resume")));
  EXPECT_EQ(screen.press({Key::Kind::escape}, v), RunCommand::leave);
}

class Requests : public testing::Test {
 protected:
  Requests() { press(U'3'); }
  void press(char32_t c) { screen.press(key(c), v); }
  void press(Key::Kind kind) { screen.press({kind}, v); }
  std::string text() { return drawn(screen, v, 100, 30); }
  RunView v = view();
  RunScreen screen;
};

TEST_F(Requests, AreFiltered) {
  EXPECT_THAT(text(), HasSubstr("400 of 400 kept"));
  press(U'x');
  EXPECT_THAT(text(), AllOf(HasSubstr("40 of 400 kept · failed only"), HasSubstr("503 \\x1b[31mUnavailable")));
  press(U'c');
  press(U'f');
  EXPECT_THAT(text(), HasSubstr("360 of 400 kept · status 2xx"));
  press(U'f'), press(U'f'), press(U'f');
  EXPECT_THAT(text(), HasSubstr("40 of 400 kept · status 5xx"));
  press(U'f');
  EXPECT_THAT(text(), AllOf(HasSubstr("0 of 400 kept · status no response"), HasSubstr("none of those kept fits")));
  press(U'f'), press(U'f');
  EXPECT_THAT(text(), HasSubstr("400 of 400 kept"));
  press(U'l');
  EXPECT_THAT(text(), HasSubstr("latency ≥ p50"));
  press(U'c');
  for (const char32_t c : {U'/', U'U', U'N', U'A', U'V', U'q'}) press(c);
  EXPECT_THAT(text(), HasSubstr("\n /UNAVq"));
  press(Key::Kind::backspace);
  press(Key::Kind::enter);
  EXPECT_THAT(text(), HasSubstr("40 of 400 kept · \"UNAV\""));
}

TEST_F(Requests, APickStaysOnItsLine) {
  press(Key::Kind::down);
  press(Key::Kind::down);
  EXPECT_THAT(text(), HasSubstr("· held"));
  press(Key::Kind::enter);
  EXPECT_THAT(text(), AllOf(HasSubstr("Request 399 · the list is held"), HasSubstr("longer than"), HasSubstr("not kept: of a run")));
  v.watch.add(RunBlock{.seconds = {RunSecond{.at = 40}}, .recent = {RecentResult{.seq = 999, .status = 200, .is_good = true}}});
  EXPECT_THAT(text(), HasSubstr("Request 399"));
  press(Key::Kind::right);
  EXPECT_THAT(text(), HasSubstr("Request 398"));
  press(Key::Kind::left), press(Key::Kind::left);
  EXPECT_THAT(text(), HasSubstr("Request 400"));
  press(Key::Kind::escape);
  EXPECT_THAT(text(), HasSubstr("· held"));
  press(Key::Kind::escape);
  EXPECT_THAT(text(), Not(HasSubstr("· held")));
  EXPECT_EQ(screen.press({Key::Kind::escape}, v), RunCommand::leave);
}

TEST_F(Requests, AreFilteredByAQuery) {
  const auto query = [&](std::string_view text_of_it) {
    press(U'c');
    press(U'/');
    for (const char c : text_of_it) press(static_cast<char32_t>(c));
  };
  query("status:5xx lat>10ms");
  press(Key::Kind::enter);
  EXPECT_THAT(text(), HasSubstr("0 of 400 kept · \"status:5xx lat>10ms\""));
  query("status:2xx,503 after:30s lat<=3ms");
  press(Key::Kind::enter);
  EXPECT_THAT(text(), HasSubstr("30 of 400 kept"));
  // What makes no sense is said, and what held before holds.
  query("status:what");
  EXPECT_THAT(text(), AllOf(HasSubstr("/status:what"), HasSubstr("takes codes, classes and none")));
  press(Key::Kind::escape);
  EXPECT_THAT(text(), HasSubstr("400 of 400 kept"));
}

TEST_F(Requests, OneThatWasKeptIsShownWhole) {
  RecentResult r{.seq = 7777, .at = Nanos(41'000'000'000), .bytes = 13, .status = 200, .is_good = true};
  r.kept = std::make_shared<KeptResponse>(KeptResponse{{{"Content-Type", "a\x1b[31mb"}}, R"({"a":[1,2]})"});
  v.watch.add(RunBlock{.seconds = {RunSecond{.at = 41, .ok = 1}}, .recent = {r}});
  EXPECT_THAT(text(), AllOf(HasSubstr("● whole"), HasSubstr(R"({"a":[1,2]})")));
  press(Key::Kind::enter);
  EXPECT_THAT(text(), AllOf(HasSubstr("Request 7,778"), HasSubstr("Content-Type: a\\x1b[31mb"), HasSubstr("  \"a\": [")));
  EXPECT_EQ(screen.press(key(U'w'), v), RunCommand::save_body);
  EXPECT_EQ(screen.press(key(U'y'), v), RunCommand::copy_curl);
  press(U'v');
  EXPECT_THAT(text(), HasSubstr(R"({"a":[1,2]})"));
  press(Key::Kind::right);
  EXPECT_THAT(text(), HasSubstr("not kept"));
  press(U'[');
  EXPECT_THAT(text(), HasSubstr("Request 7,778"));
  press(U']');  // there is no other
  EXPECT_THAT(text(), HasSubstr("Request 7,778"));
  press(U'/');
  for (const char c : std::string_view("content")) press(static_cast<char32_t>(c));
  EXPECT_THAT(text(), HasSubstr("\n /content"));
  press(Key::Kind::enter);
  press(Key::Kind::escape);
  press(U'/');
  for (const char c : std::string_view("body:\"[1,2\"")) press(static_cast<char32_t>(c));
  EXPECT_THAT(text(), HasSubstr("1 of 401 kept"));
}

TEST(RunScreen, HelpListsAllKeysAtEverySize) {
  const RunView v = view();
  for (const auto& [width, height] : kSizes) {
    RunScreen screen;
    screen.press(key(U'?'), v);
    std::string all = drawn(screen, v, width, height);
    for (int i = 0; i < 30; ++i) {
      screen.press({Key::Kind::down}, v);
      all += drawn(screen, v, width, height);
    }
    for (const char* part : {"space p", "+ -", "> <", "s i", "r ", "e ", "o ", "1 2 3 tab", "PgUp PgDn", "home end", "enter", "  ← → [ ]",
                             "  v w y /", "f ", "l ", "x ", "/ ", "c ", "q esc Ctrl-C"})
      EXPECT_THAT(all, HasSubstr(std::string("│ ") + part)) << width;
    EXPECT_EQ(screen.press({Key::Kind::escape}, v), RunCommand::none);
    EXPECT_THAT(drawn(screen, v, width, height), Not(HasSubstr("pause, resume")));
  }
}

TEST(RunScreen, TheMenuOfFiles) {
  const RunView running = view(), finished = over();
  constexpr std::pair<char32_t, RunCommand> kRows[]{{U'j', RunCommand::export_json},     {U'h', RunCommand::export_html},
                                                    {U'm', RunCommand::export_markdown}, {U's', RunCommand::export_svg},
                                                    {U'c', RunCommand::export_csv},      {U'n', RunCommand::export_ndjson}};
  for (const auto& [pressed, command] : kRows) {
    RunScreen screen;
    EXPECT_EQ(screen.press(key(U'o'), running), RunCommand::none);
    EXPECT_THAT(drawn(screen, running, 60, 18),
                AllOf(HasSubstr("the report, as JSON  (at the end)"), HasSubstr("a line a second, as CSV ")));
    EXPECT_EQ(screen.press(key(pressed), finished), command);
    EXPECT_THAT(drawn(screen, finished, 60, 18), Not(HasSubstr("as JSON")));
  }
  RunScreen screen;
  screen.press(key(U'o'), running);
  EXPECT_EQ(screen.press({Key::Kind::escape}, running), RunCommand::none);
  EXPECT_EQ(screen.press({Key::Kind::escape}, running), RunCommand::leave);
}

// However much is kept, it is no more than the cap; the oldest goes first.
TEST(RunWatch, KeepsSoManyBytesOfResponses) {
  RunWatch watch;
  for (int i = 0; i < 1000; ++i) {
    RecentResult r{.seq = static_cast<std::uint64_t>(i), .at = Nanos(i), .status = 200, .is_good = true};
    r.kept = std::make_shared<KeptResponse>(KeptResponse{{}, std::string(100'000, 'x')});
    watch.add(RunBlock{.seconds = {RunSecond{.at = 0, .ok = 1}}, .recent = {r}});
  }
  EXPECT_LE(watch.bytes_kept(), RunWatch::kMostBytesKept);
  EXPECT_GT(watch.bytes_kept(), RunWatch::kMostBytesKept - 200'000);
  EXPECT_EQ(watch.recent().front().kept, nullptr);
  EXPECT_NE(watch.recent().back().kept, nullptr);
  for (int i = 0; i < 3000; ++i)
    watch.add(RunBlock{.seconds = {RunSecond{.at = 0, .ok = 1}}, .recent = {RecentResult{.seq = 5000, .status = 200, .is_good = true}}});
  EXPECT_EQ(watch.bytes_kept(), 0u);
}

TEST(RunWatch, KeepsTheLatestAndOlderFailures) {
  RunWatch watch;
  for (int i = 0; i < 5000; ++i) {
    RunBlock block;
    block.seconds = {RunSecond{.at = i / 100, .ok = 1}};
    RecentResult r{.seq = static_cast<std::uint64_t>(i), .at = Nanos(i), .status = 200, .is_good = i % 10 != 0};
    (r.is_good ? block.recent : block.failures) = {r};
    watch.add(block);
  }
  EXPECT_EQ(watch.ended(), 5000u);
  EXPECT_LE(watch.recent().size(), RunWatch::kRecent + RunWatch::kFailures);
  EXPECT_EQ(watch.recent().back().seq, 4999u);
  EXPECT_EQ(watch.recent().front().seq % 10, 0u);
  EXPECT_LT(watch.recent().front().seq, 1000u);
}

}  // namespace
}  // namespace thrum::ui
