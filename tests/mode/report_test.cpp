#include "mode/report.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/fd.hpp"
#include "results_files.hpp"

namespace thrum::mode {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Outcome {
  Expected<void> done;
  std::string out;
  std::vector<std::string> warnings;
};

Outcome report_on(const Folder& folder, ReportRequest request, std::function<void(Report&)> before = {}) {
  Outcome outcome;
  if (request.output == "stdout") request.output = folder.file("report");
  auto report = Report::create(request, {.warn = [&](std::string_view line) { outcome.warnings.emplace_back(line); }});
  if (!report) {
    outcome.done = std::unexpected(report.error());
    return outcome;
  }
  if (before) before(**report);
  outcome.done = (*report)->run();
  outcome.out = Folder::get(request.output);
  return outcome;
}

// A descriptor in the place of another, until it is done with.
class Replaced {
 public:
  Replaced(int target, int fd) : target_(target), saved_(::dup(target)) {
    ::dup2(fd, target);
    ::close(fd);
  }
  ~Replaced() {
    ::dup2(saved_, target_);
    ::close(saved_);
  }

 private:
  int target_, saved_;
};

TEST(Report, PercentilesAreForReportsThatShowThem) {
  for (const char* type : {"hist", "csv", "hdrplot", "hdrlog"}) {
    ReportRequest request;
    request.type = type;
    request.percentiles = "50";
    const auto report = Report::create(request, {});
    ASSERT_FALSE(report) << type;
    EXPECT_EQ(report.error().kind, ErrorKind::usage);
  }
}

TEST(Report, ARecordedRunTellsWhatWasAskedAndHowItEnded) {
  const Folder folder;
  const Outcome o = report_on(folder, {.inputs = {folder.put("a.bin", encoded(Encoding::native, 120))}});
  ASSERT_TRUE(o.done) << o.done.error().text;
  EXPECT_THAT(o.out, HasSubstr("Requests      [total, rate, throughput]         120, "));
  EXPECT_THAT(o.out, HasSubstr("123, 120, 120, 3"));
  EXPECT_THAT(o.out, HasSubstr("-max-workers (7)"));
  EXPECT_THAT(o.warnings, ElementsAre());
}

TEST(Report, EveryEncodingGivesTheSameFigures) {
  const Folder folder;
  std::vector<std::string> heads;
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv}) {
    const Outcome o = report_on(folder, {.inputs = {folder.put("r", encoded(e, 300, "name"))}});
    ASSERT_TRUE(o.done);
    heads.push_back(o.out.substr(0, o.out.find("Error Set")));
  }
  for (const std::string& head : heads) EXPECT_EQ(head, heads[0]);
}

TEST(Report, RunsAreNamedByAttackElseByFile) {
  const Folder folder;
  const auto names = [&](std::vector<std::string> inputs) {
    const Outcome o = report_on(folder, {.inputs = std::move(inputs), .type = "json"});
    std::vector<std::string> out;
    const auto json = nlohmann::json::parse(o.out);
    for (const auto& run : json["runs"]) out.push_back(run["name"]);
    return out;
  };
  const std::string a = folder.put("a.bin", encoded(Encoding::native, 10, "first")),
                    b = folder.put("b.gob", encoded(Encoding::gob, 10, "second"));
  const std::string c = folder.put("c.json", encoded(Encoding::json, 10, "second")), d = folder.put("d.csv", encoded(Encoding::csv, 10));
  const std::string two = folder.put("two.bin", encoded(Encoding::native, 10) + encoded(Encoding::native, 10));
  EXPECT_THAT(names({a, b}), ElementsAre("first", "second"));
  EXPECT_THAT(names({a, b, c, d}), ElementsAre("first", b, c, d));
  EXPECT_THAT(names({two}), ElementsAre(two + " #1", two + " #2"));
}

TEST(Report, EachInterimReportHasOneResultMore) {
  const Folder folder;
  const std::string input = folder.put("a.json", encoded(Encoding::json, 5));
  const Outcome o = report_on(folder, {.inputs = {input}, .type = "hist[0,3ms]", .every = Nanos(1)});
  ASSERT_TRUE(o.done);
  EXPECT_THAT(o.out, testing::StartsWith("Bucket         #  %        Histogram\n[0s,    3ms]   1  100.00%"));
  EXPECT_THAT(o.out, HasSubstr("[3ms,   +Inf]  3  60.00%"));
  EXPECT_THAT(o.out, Not(HasSubstr("\x1b")));
}

TEST(Report, TheTableOfSecondsStartsWithTheRun) {
  const Folder folder;
  const Outcome o = report_on(folder, {.inputs = {folder.put("a.bin", encoded(Encoding::native, 150))}, .type = "csv"});
  EXPECT_THAT(o.out, HasSubstr("\n0,2023-11-14T22:13:20Z,100,100,100,0,100.00,"));
  EXPECT_THAT(o.out, HasSubstr("\n1,2023-11-14T22:13:21Z,50,50,50,0,"));
}

TEST(Report, ARunWithoutResultsHasEveryReport) {
  const Folder folder;
  const std::string input = folder.put("empty.bin", encoded(Encoding::native, 0));
  for (const char* type : {"text", "json", "hist", "hist[0,1ms]", "hdrplot", "hdrlog", "csv"}) {
    const Outcome o = report_on(folder, {.inputs = {input}, .type = type, .buckets = std::string(type) == "json" ? "[0,1ms]" : ""});
    ASSERT_TRUE(o.done) << type << ": " << o.done.error().text;
    EXPECT_THAT(o.out, Not(HasSubstr("nan"))) << type;
    EXPECT_THAT(o.out, testing::EndsWith("\n")) << type;
  }
  EXPECT_THAT(report_on(folder, {.inputs = {input}}).out, HasSubstr("3, 0, 0, 3"));
}

TEST(Report, EveryKindOfReportCountsTheSame) {
  const Folder folder;
  const std::string input = folder.put("a.bin", encoded(Encoding::native, 150));
  const auto of_type = [&](std::string type) { return report_on(folder, {.inputs = {input}, .type = std::move(type)}).out; };
  EXPECT_THAT(of_type("text"), HasSubstr(" 150, "));
  EXPECT_EQ(nlohmann::json::parse(of_type("json"))["requests"], 150);
  EXPECT_THAT(of_type("hist[0]"), HasSubstr(" 150  100.00%"));
  EXPECT_THAT(of_type("hdrplot"), HasSubstr("1.000000    150 "));
  std::istringstream rows(of_type("csv"));
  int sent = 0;
  std::string row;
  for (std::getline(rows, row); std::getline(rows, row);) {
    std::istringstream cells(row);
    std::string cell;
    for (int i = 0; i < 4; ++i) std::getline(cells, cell, ',');
    sent += std::stoi(cell);
  }
  EXPECT_EQ(sent, 150);
}

TEST(Report, DamageIsAWarningAndStrictAnError) {
  const Folder folder;
  std::string bytes = encoded(Encoding::json, 20);
  bytes.resize(bytes.size() - 30);
  const std::string input = folder.put("torn.json", bytes);
  const Outcome lenient = report_on(folder, {.inputs = {input}});
  ASSERT_TRUE(lenient.done);
  EXPECT_THAT(lenient.out, HasSubstr(" 19, "));
  EXPECT_EQ(lenient.warnings.size(), 1u);
  EXPECT_FALSE(report_on(folder, {.inputs = {input}, .output = folder.file("other"), .strict = true}).done);
  EXPECT_FALSE(std::filesystem::exists(folder.file("other"))) << "nothing is written that is not whole";
}

TEST(Report, WhatContradictsItselfIsSaidBeforeAnythingIsOpened) {
  const Folder folder;
  for (const ReportRequest& bad : {ReportRequest{.inputs = {"no such file"}, .type = "foo"},
                                   ReportRequest{.inputs = {"no such file"}, .buckets = "[0", .every = Nanos(-1)},
                                   ReportRequest{.inputs = {"no such file"}, .percentiles = "101"}}) {
    const Outcome o = report_on(folder, bad);
    ASSERT_FALSE(o.done);
    EXPECT_EQ(o.done.error().kind, ErrorKind::usage);
    EXPECT_THAT(o.done.error().text, Not(HasSubstr("no such file")));
  }
}

TEST(Report, AFileThatCountsTwiceIsTold) {
  const Folder folder;
  const std::string bytes = encoded(Encoding::gob, 10, "name");
  const std::string a = folder.put("a.gob", bytes), copy = folder.put("copy.gob", bytes),
                    other = folder.put("b.gob", encoded(Encoding::gob, 11));
  EXPECT_THAT(report_on(folder, {.inputs = {a, other}}).warnings, ElementsAre());
  const Outcome twice = report_on(folder, {.inputs = {a, other, a, copy}});
  EXPECT_THAT(twice.warnings, ElementsAre(a + " is given twice: its results count twice",
                                          copy + " holds the same as " + a + ": these results count twice"));
  EXPECT_THAT(twice.out, HasSubstr(" 41, "));
}

TEST(Report, AGroupOfNothingHasNoLatencies) {
  const Folder folder;
  const Outcome o = report_on(folder, {.inputs = {folder.put("a.bin", encoded(Encoding::native, 10))}, .where = "code==999", .by = "code"});
  EXPECT_THAT(o.out, HasSubstr("Total           0         0.00  0.00%    -     -   -   -   -   -    50, 90, 95, 99"));
}

TEST(Report, ExplainReadsNothing) {
  const Folder folder;
  const Outcome o = report_on(folder, {.inputs = {"no such file"}, .explain = true});
  ASSERT_TRUE(o.done);
  EXPECT_THAT(o.out, HasSubstr("Latencies [min, mean, 50, 90, 95, 99, max]"));
}

TEST(Report, APipeIsReadToItsEndWhenStopped) {
  const Folder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Replaced standard_input(0, ends[0]);
  const std::string bytes = encoded(Encoding::native, 40);
  std::thread writer([&] {
    EXPECT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::close(ends[1]);
  });
  const Outcome o = report_on(folder, {}, [](Report& report) { report.stop(); });
  writer.join();
  ASSERT_TRUE(o.done) << o.done.error().text;
  EXPECT_THAT(o.out, HasSubstr("Requests      [total, rate, throughput]         40, "));
  EXPECT_THAT(o.warnings, ElementsAre());
}

TEST(Report, CutOnAPipeThatSaysNothing) {
  const Folder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Replaced standard_input(0, ends[0]);
  const Outcome o = report_on(folder, {}, [](Report& report) { report.cut(); });
  ::close(ends[1]);
  ASSERT_FALSE(o.done);
  EXPECT_THAT(o.done.error().text, HasSubstr("interrupted"));
}

TEST(Report, CutWhileTheRestOfABlockIsWaitedFor) {
  const Folder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Replaced standard_input(0, ends[0]);
  std::string bytes = encoded(Encoding::native, 40) + encoded(Encoding::native, 40);
  bytes.resize(bytes.size() - 100);
  ASSERT_EQ(::write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  std::thread person;
  const Outcome o = report_on(folder, {}, [&](Report& report) {
    person = std::thread([&report, &ends] {
      for (int unread = 1; unread != 0 && ::ioctl(ends[1], FIONREAD, &unread) == 0;) std::this_thread::yield();
      report.cut();
    });
  });
  person.join();
  ::close(ends[1]);
  ASSERT_TRUE(o.done) << o.done.error().text;
  EXPECT_THAT(o.warnings, ElementsAre(HasSubstr("interrupted: this report is of the ")));
}

TEST(Report, AFifoThatNobodyWritesToEndsWhenStopped) {
  const Folder folder;
  ASSERT_EQ(::mkfifo(folder.file("fifo").c_str(), 0600), 0);
  const Outcome o = report_on(folder, {.inputs = {folder.file("fifo")}}, [](Report& report) { report.stop(); });
  ASSERT_FALSE(o.done);
  EXPECT_EQ(o.done.error().text, "interrupted before there were any results");
}

TEST(Report, AFifoIsReadToItsEndWhoeverComesFirst) {
  const Folder folder;
  const std::string fifo = folder.file("fifo"), bytes = encoded(Encoding::native, 40);
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] {
    const Fd end(::open(fifo.c_str(), O_WRONLY));
    EXPECT_EQ(::write(end.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  });
  const Outcome o = report_on(folder, {.inputs = {fifo}});
  writer.join();
  ASSERT_TRUE(o.done) << o.done.error().text;
  EXPECT_THAT(o.out, HasSubstr("Requests      [total, rate, throughput]         40, "));
}

TEST(Report, FilesAreReadNoFurtherWhenStopped) {
  const Folder folder;
  const Outcome o =
      report_on(folder, {.inputs = {folder.put("a.bin", encoded(Encoding::native, 40))}}, [](Report& report) { report.stop(); });
  ASSERT_TRUE(o.done);
  EXPECT_THAT(o.warnings, ElementsAre(HasSubstr("interrupted: this report is of the 0 results")));
}

TEST(Report, AReaderThatLeftIsABrokenPipe) {
  ::signal(SIGPIPE, SIG_IGN);
  const Folder folder;
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const std::string input = folder.put("a.bin", encoded(Encoding::native, 40));
  auto report = Report::create({.inputs = {input}}, {.warn = [](std::string_view) {}});
  Expected<void> done;
  {
    const Replaced standard_output(1, ends[1]);
    done = (*report)->run();
  }
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::broken_pipe);
}

// 100 results, 10 ms apart, 1 ms, 2 ms, … long.
TEST(Report, OfAPartOfTheResults) {
  const Folder folder;
  const std::string native = folder.put("a.bin", encoded(Encoding::native, 100)), csv = folder.put("a.csv", encoded(Encoding::csv, 100));
  for (const std::string& file : {native, csv}) {
    const auto of = [&](ReportRequest request) {
      request.inputs = {file};
      request.type = "json";
      const Outcome o = report_on(folder, std::move(request));
      EXPECT_TRUE(o.done);
      return nlohmann::json::parse(o.out);
    };
    EXPECT_EQ(of({.from = Nanos(500'000'000)})["requests"], 50);
    EXPECT_EQ(of({.to = Nanos(500'000'000)})["requests"], 50);
    EXPECT_EQ(of({.from = Nanos(200'000'000), .to = Nanos(210'000'001)})["requests"], 2);
    EXPECT_EQ(of({.where = "latency>90ms"})["requests"], 10);
    const nlohmann::json both = of({.from = Nanos(950'000'000), .where = "latency<=98ms, url=/"});
    EXPECT_EQ(both["requests"], 3);
    EXPECT_EQ(both["latencies"]["min"], 96'000'000);
    EXPECT_EQ(both["duration"], 20'000'000);
    EXPECT_EQ(both["rate"], 150.0);
    EXPECT_EQ(both["filter"]["results"], 3);
    EXPECT_EQ(both["filter"]["read"], 100);
    EXPECT_FALSE(both.contains("asked"));
    EXPECT_FALSE(of({}).contains("filter"));
    EXPECT_EQ(of({.where = "code=404"})["requests"], 0);
  }
}

TEST(Report, EachRunHasItsOwnStart) {
  const Folder folder;
  const std::string first = encoded(Encoding::csv, 50);
  std::string later = first;
  // Ten years on, as CSV has the time in nanoseconds at the start of each line.
  for (std::size_t at = 0; at < later.size(); at = later.find('\n', at) + 1) later[at + 1] = '9';
  const Outcome o = report_on(
      folder, {.inputs = {folder.put("a.csv", first), folder.put("b.csv", later)}, .type = "json", .to = Nanos(100'000'000), .by = "run"});
  ASSERT_TRUE(o.done) << o.done.error().text;
  const auto json = nlohmann::json::parse(o.out);
  EXPECT_EQ(json["requests"], 20);
  ASSERT_EQ(json["groups"].size(), 2u);
  EXPECT_EQ(json["groups"][1]["name"], folder.file("b.csv"));
  EXPECT_EQ(json["groups"][1]["requests"], 10);
}

TEST(Report, GroupsAreOfWhatPassesTheFilter) {
  const Folder folder;
  const Outcome o = report_on(folder, {.inputs = {folder.put("a.bin", encoded(Encoding::native, 100))},
                                       .where = "latency>40ms",
                                       .by = "target",
                                       .group_rules = {"/nothing", "/"}});
  ASSERT_TRUE(o.done);
  EXPECT_THAT(o.out, HasSubstr("\nGET http://127.0.0.1/  60 "));
  EXPECT_THAT(o.out, HasSubstr("\nTotal                  60 "));
}

TEST(Report, WhatContradictsItselfIsRefusedBeforeAnythingIsRead) {
  const std::pair<ReportRequest, const char*> cases[] = {
      {{.from = Nanos(-1)}, "-from: "},
      {{.from = Nanos(5), .to = Nanos(5)}, "-to: 5ns is not after -from=5ns"},
      {{.where = "code"}, "-where: "},
      {{.by = "path"}, "-by: "},
      {{.type = "csv", .by = "url"}, "-by: only -type=text and -type=json show groups, not -type=csv"},
      {{.by = "url", .group_rules = {"user"}}, "-group: bad rule \"user\""},
      {{.max_groups = 5}, "-max-groups: there are no groups without -by, as in -by=url"},
      {{.type = "csv", .every = Nanos(1)}, "-every: -type=csv has a row for each second already, and is written once"},
      {{.by = "code", .group_rules = {"/user"}}, "-group: rules are for -by=url and -by=target"},
      {{.group_rules = {"/user"}}, "-group: rules are for"},
  };
  for (const auto& [request, words] : cases) {
    const auto report = Report::create(request, {});
    ASSERT_FALSE(report) << words;
    EXPECT_EQ(report.error().kind, ErrorKind::usage);
    EXPECT_THAT(report.error().text, HasSubstr(words));
  }
}

}  // namespace
}  // namespace thrum::mode
