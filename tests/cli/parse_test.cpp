// The flag table held against itself, and the parser against command lines kept as data.
#include "cli/parse.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "base/text.hpp"
#include "mode/attack.hpp"
#include "targets/url_guess.hpp"

namespace thrum::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::expected<Invocation, ParseFailure> parse_words(const std::vector<std::string>& words) {
  return parse(std::vector<std::string_view>(words.begin(), words.end()));
}

// As a shell would, for blanks and single quotes.
std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> out;
  bool in_word = false, quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      in_word = false;
      continue;
    }
    if (!in_word) out.emplace_back();
    in_word = true;
    if (c != '\'') out.back() += c;
  }
  return out;
}

// What the program says to the line before anything is opened: nothing, or the error.
std::optional<Error> complaint(const std::vector<std::string>& words) {
  const auto invocation = parse_words(words);
  if (!invocation) return invocation.error().error;
  if (invocation->options.help || invocation->options.version) return std::nullopt;
  if (auto fits = check_arguments(*invocation); !fits) return fits.error();
  if (invocation->command == Command::attack)
    if (auto checked = mode::check(invocation->options.attack); !checked) return checked.error();
  if (invocation->command == Command::run) {
    mode::RunRequest run = invocation->options.run;
    run.attack = invocation->options.attack;
    if (run.is_curl) return std::nullopt;  // mode/run_curl.hpp
    run.url = invocation->arguments.empty() ? "" : invocation->arguments[0];
    if (!run.url.empty()) run.url = targets::guessed_url(run.url).value_or(run.url);
    if (auto settled = mode::settle(run, 4); !settled) return settled.error();
    if (auto checked = mode::check(run.attack); !checked) return checked.error();
  }
  return std::nullopt;
}

TEST(CommandLines, GiveWhatTheTableSays) {
  std::ifstream file(THRUM_TEST_DATA "/cli/command_lines.txt");
  ASSERT_TRUE(file);
  std::string row;
  int rows = 0;
  while (std::getline(file, row)) {
    if (row.empty() || row[0] == '#') continue;
    ++rows;
    const std::size_t first = row.find('|'), second = row.find(" | ", first + 1);
    const std::string verdict(trim(row.substr(0, first)));
    const std::string line(trim(row.substr(first + 1, second == std::string::npos ? second : second - first - 1)));
    const std::string wanted = second == std::string::npos ? "" : row.substr(second + 3);
    const auto error = complaint(shell_words(line));
    if (verdict == "ok") {
      EXPECT_FALSE(error) << line << ": " << error->text;
    } else {
      ASSERT_EQ(verdict, "usage") << row;
      ASSERT_TRUE(error) << line;
      EXPECT_EQ(error->kind, ErrorKind::usage) << line;
      EXPECT_THAT(error->text, HasSubstr(wanted)) << line;
      EXPECT_THAT(error->text, Not(HasSubstr("\n"))) << line;
    }
  }
  EXPECT_GT(rows, 150);
}

TEST(CommandLines, SetWhatTheySay) {
  const auto invocation = parse_words({"-cpus",
                                       "3",
                                       "attack",
                                       "-rate",
                                       "6/m",
                                       "--duration=1m30s",
                                       "-lazy",
                                       "-insecure",
                                       "-H",
                                       "A:1",
                                       "-header",
                                       "a:  2 ",
                                       "-root-certs",
                                       "x.pem,y.pem",
                                       "-root-certs=z.pem",
                                       "-targets",
                                       "-",
                                       "-t",
                                       "5",
                                       "-timeout",
                                       "7s",
                                       "-max-connections=0",
                                       "-capture=headers",
                                       "-catch-up=120%",
                                       "-encoding",
                                       "gob",
                                       "-name=a b",
                                       "-spin=0"});
  ASSERT_TRUE(invocation) << invocation.error().error.text;
  EXPECT_EQ(invocation->command, Command::attack);
  const mode::AttackRequest& a = invocation->options.attack;
  EXPECT_EQ(a.options.shards, 3u);
  EXPECT_EQ(a.options.shape.text(), parse_shape("6/m")->text());
  EXPECT_EQ(a.options.duration, std::chrono::seconds(90));
  EXPECT_TRUE(a.lazy);
  EXPECT_FALSE(a.options.tls.verify);
  EXPECT_THAT(a.options.headers, testing::ElementsAre(testing::Pair("A", "1"), testing::Pair("a", "2")));
  EXPECT_THAT(a.options.tls.root_cert_files, testing::ElementsAre("x.pem", "y.pem", "z.pem"));
  EXPECT_EQ(a.targets, "stdin");
  EXPECT_EQ(a.options.timeout, std::chrono::seconds(7));
  EXPECT_EQ(a.options.max_connections, kUnlimited);
  EXPECT_TRUE(a.options.capture_headers);
  EXPECT_FALSE(a.capture_body);
  EXPECT_EQ(a.options.catch_up.mode, CatchUp::Mode::percent);
  EXPECT_EQ(a.options.catch_up.percent, 120u);
  EXPECT_EQ(a.encoding, Encoding::gob);
  EXPECT_EQ(a.options.name, "a b");
  EXPECT_EQ(a.options.spin, Nanos(0));
}

TEST(FlagTable, NamesAreUniqueWithinACommandAndTakeAValueInAllOrInNone) {
  for (const Flag& a : flag_table()) {
    std::vector<std::string_view> names{a.name};
    for_each_word(a.also, [&](std::string_view other) { names.push_back(other); });
    for (const std::string_view name : names) {
      for (const Flag& b : flag_table()) {
        if (&a == &b || !b.goes_by(name)) continue;
        EXPECT_FALSE(a.commands.overlaps(b.commands)) << name;
        EXPECT_EQ(a.takes == Takes::nothing, b.takes == Takes::nothing) << name;
      }
    }
  }
}

TEST(FlagTable, RowsAreComplete) {
  for (const Flag& flag : flag_table()) {
    EXPECT_NE(flag.bind, nullptr) << flag.name;
    EXPECT_FALSE(flag.help.empty()) << flag.name;
    EXPECT_FALSE(flag.help.ends_with('.')) << flag.name;
    EXPECT_EQ(flag.takes == Takes::nothing, flag.value.empty()) << flag.name;
    EXPECT_EQ(flag.takes == Takes::choice, !flag.choices.empty()) << flag.name;
    for_each_word(flag.choices, [&](std::string_view choice) {
      Options options;
      EXPECT_TRUE(flag.bind(options, choice)) << flag.name << '=' << choice;
    });
  }
}

// Everything an Options holds, as text, so that two can be compared.
std::string fingerprint(const Options& o) {
  const AttackOptions& a = o.attack.options;
  std::string out;
  const auto add = [&](const auto& value) { out += testing::PrintToString(value) + '|'; };
  add(o.help), add(o.version), add(o.profile), add(o.config), add(o.write_config), add(o.attack.dry_run), add(o.attack.guard.text());
  add(a.name), add(a.shape.text()), add(a.duration.count()), add(a.hits), add(a.timeout.count()), add(a.grace.count());
  add(static_cast<int>(a.catch_up.mode)), add(a.catch_up.percent), add(a.workers), add(a.max_workers), add(a.connections);
  add(a.max_connections), add(a.keep_alive), add(a.http2), add(a.h2c), add(a.streams), add(a.headers), add(a.capture_headers),
      add(a.shards), add(static_cast<int>(a.io)), add(a.dns_ttl.count());
  add(a.redirects), add(a.chunked), add(a.compression);
  add(a.resolvers), add(a.unix_socket), add(a.local_addresses), add(a.tls.session_tickets);
  for (const ConnectTo& c : a.connect_to) add(c.host), add(c.port), add(c.to_host), add(c.to_port);
  add(a.warmup.count()), add(a.warmup_shape ? a.warmup_shape->text() : ""), add(a.preconnect), add(a.connect_rate.text()), add(a.proxy.url),
      add(a.proxy.headers), add(o.attack.heeds_environment);
  add(a.tls.verify), add(a.tls.root_cert_files), add(a.tls.cert_file), add(a.tls.key_file), add(a.spin ? a.spin->count() : -1);
  const mode::AttackRequest& r = o.attack;
  add(r.targets), add(static_cast<int>(r.format)), add(r.lazy), add(r.once), add(r.body), add(r.capture_body), add(r.max_body),
      add(r.output);
  add(static_cast<int>(r.encoding)), add(r.progress), add(r.strict_rate), add(r.seed), add(r.fail_if), add(r.junit), add(a.http2_only);
  add(a.order ? static_cast<int>(*a.order) : -1);
  add(r.abort_if), add(r.control), add(static_cast<int>(r.latency)), add(r.metrics_addr), add(r.metrics_linger.count());
  add(a.sample_failures), add(a.expect.status), add(a.expect.header), add(a.expect.size), add(a.expect.body), add(a.expect.json);
  const mode::ReportRequest& p = o.report;
  add(p.inputs), add(p.type), add(p.buckets), add(p.percentiles), add(p.every.count()), add(p.output), add(p.force), add(p.strict);
  add(p.explain), add(p.from.count()), add(p.to ? p.to->count() : -1), add(p.where), add(p.by), add(p.group_rules),
      add(p.latency ? static_cast<int>(*p.latency) : -1), add(p.with_warmup), add(p.max_groups.value_or(0)), add(p.fail_if), add(p.junit);
  const mode::PlotRequest& d = o.plot;
  add(d.inputs), add(d.title), add(d.threshold), add(d.output), add(d.force), add(d.strict);
  const mode::EncodeOptions& e = o.encode;
  add(e.inputs), add(static_cast<int>(e.to)), add(e.output), add(e.csv_header), add(e.strict), add(e.force);
  const mode::SearchOptions& c = o.capacity.search;
  add(o.capacity.slo), add(c.from), add(c.most), add(c.step.count()), add(c.confirm.count()), add(o.capacity.json), add(o.capacity.html);
  const mode::RunRequest& n = o.run;
  add(n.url), add(n.is_curl), add(n.all), add(n.out_dir), add(n.method), add(n.body), add(n.user_agent), add(n.number.value_or(0)),
      add(n.concurrency.value_or(0));
  add(n.duration ? n.duration->count() : -1), add(n.rate ? n.rate->text() : ""), add(n.timeout.count());
  add(n.setup), add(n.screen), add(n.json), add(n.output), add(n.markdown), add(n.html), add(n.snapshot), add(n.snapshot_every.count()),
      add(n.series_csv), add(n.record), add(n.allow_all_failed);
  add(o.shape.duration.count()), add(o.shape.columns);
  add(o.doctor.shape ? o.doctor.shape->text() : ""), add(o.doctor.connections), add(o.doctor.keep_alive), add(o.doctor.json);
  const mode::ServeOptions& s = o.serve;
  add(s.addr), add(s.tls_addr), add(s.cert_file), add(s.key_file), add(s.cert_out), add(s.log), add(s.workers), add(s.work.count());
  return out;
}

TEST(CommandLines, WhatStandsBehindDashesIsCurls) {
  const auto of = [](const std::vector<std::string>& words) {
    const auto invocation = parse_words(words);
    if (!invocation) return std::vector<std::string>{invocation.error().error.text};
    std::vector<std::string> all = invocation->arguments;
    all.insert(all.begin(), std::string(info(invocation->command).name));
    return all;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(of({"-z", "3s", "-curl", "--", "curl", "http://a/", "-H", "A: 1"}), (Words{"run", "curl", "http://a/", "-H", "A: 1"}));
  EXPECT_EQ(of({"run", "-curl", "--", "curl http://a/ -I"}), (Words{"run", "curl http://a/ -I"}));
  EXPECT_EQ(of({"-curl", "--", "report", "-I"}), (Words{"run", "report", "-I"}));
  EXPECT_EQ(of({"--curl"}), (Words{"run"}));
  EXPECT_EQ(of({"-curl=false", "report"}), (Words{"report has no flag -curl; thrum report -h lists its flags"}));
}

TEST(FlagTable, DefaultsShownAreTheDefaults) {
  for (const Flag& flag : flag_table()) {
    if (flag.initial.empty()) continue;
    Options options;
    ASSERT_TRUE(flag.bind(options, flag.initial)) << flag.name;
    EXPECT_EQ(fingerprint(options), fingerprint(Options{})) << flag.name;
  }
}

// A flag that changes nothing would be a flag without effect.
TEST(FlagTable, EveryFlagChangesSomething) {
  for (const Flag& flag : flag_table()) {
    bool changes = false;
    for (const std::string_view value : {"true",    "false", "7",   "7s",  "9/m",     "7MB", "all",      "none",   "json",  "csv",
                                         "headers", "A: b",  "url", "cpu", "a:1:b:2", "100", "response", "random", "epoll", "10.0.0.0/8"}) {
      Options options;
      changes = changes || (flag.bind(options, value) && fingerprint(options) != fingerprint(Options{}));
    }
    EXPECT_TRUE(changes) << flag.name;
  }
}

}  // namespace
}  // namespace thrum::cli
