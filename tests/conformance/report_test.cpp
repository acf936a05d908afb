// Every recorded `report` of the reference, done by the library's parts that `thrum report` is made of. Text and JSON must be
// the reference's to the byte but for quantiles, which must be those of the data, and what thrum adds behind them. Where thrum
// differs on purpose, the case stands in kDifferences with a reason; docs/vegeta-differences.md has the same in prose.
#include "mode/report.hpp"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "golden.hpp"
#include "record/reader.hpp"
#include "standard_input.hpp"

namespace thrum {
namespace {

using Strings = std::vector<std::string>;

struct Difference {
  bool succeeds;
  bool warns;  // about the input
  std::string_view reason;
};

constexpr std::string_view kWholeUsed = "what is whole is used, with a warning; exit 1 only with -strict";

const std::map<std::string_view, Difference> kDifferences = {
    {"b/type-bad-05", {true, false, "a histogram without bounds chooses its own"}},
    {"b/report-gob-trunc-mid-second-record", {true, true, kWholeUsed}},
    {"b/report-gob-trunc-len-byte-only-second", {true, true, kWholeUsed}},
    {"b/report-gob-trunc-mid-last-record", {true, true, kWholeUsed}},
    {"b/report-gob-trunc-minus1", {true, true, kWholeUsed}},
    {"b/report-json-trunc", {true, true, "the reference loses the torn line in silence"}},
    {"a/multi/report-same-twice", {true, true, "a file that counts twice is told"}},
};

// The reference prints what servers and files say as it is: line ends, escape codes and all.
const std::array<std::string_view, 6> kEscaped = {"a/mixed1000/report-text-gob",  "a/mixed1000/report-text-json",
                                                  "a/mixed1000/report-text-csv",  "a/headers20/report-text-gob",
                                                  "a/headers20/report-text-json", "a/headers20/report-text-csv"};

struct Command {
  mode::ReportRequest request;
  std::string zone, standard_input;
};

// The shapes of the recorded commands: [zcat FILE |] $TOOL report [-type=X] [-buckets=X] [-output=X] [FILE…] [< FILE].
std::optional<Command> parse(const golden::Case& c) {
  Command command;
  command.zone = c.zone;
  const std::string bare = std::regex_replace(c.command, std::regex("^TZ=\\S+ "), "");
  const Strings words = golden::words(bare);
  std::size_t i = 0;
  if (words[i] == "zcat") {
    command.standard_input = golden::contents(c.folder + "/" + words[1]);
    i = 3;
  }
  if (words[i++] != "$TOOL" || words[i++] != "report") return std::nullopt;
  for (; i < words.size(); ++i) {
    const std::string& w = words[i];
    const auto value = [&](std::string_view flag) { return w.substr(flag.size()); };
    if (w == "<")
      command.standard_input = golden::contents(c.folder + "/" + words[++i]);
    else if (w == "|" || w == "&&")
      return std::nullopt;
    else if (!command.request.inputs.empty() || !w.starts_with('-'))
      command.request.inputs.push_back(w);  // flags after the first file are files
    else if (w.starts_with("-type="))
      command.request.type = value("-type=");
    else if (w.starts_with("-buckets="))
      command.request.buckets = value("-buckets=");
    else if (w.starts_with("-output="))
      command.request.output = value("-output=");
    else if (w == "-every=1h")
      command.request.every = std::chrono::hours(1);
    else
      return std::nullopt;  // about flags: a matter of the command line
  }
  return command;
}

struct Outcome {
  bool done = false;
  std::string out, error;
  Strings warnings;
};

Outcome run(Command command, const std::string& scratch) {
  Outcome outcome;
  const StandardInput standard_input(command.standard_input);
  ::setenv("TZ", command.zone.c_str(), 1);
  std::filesystem::remove(scratch);
  if (command.request.output == "stdout") command.request.output = scratch;
  auto report = mode::Report::create(command.request, {.warn = [&](std::string_view line) { outcome.warnings.emplace_back(line); }});
  const Expected<void> done = report ? (*report)->run() : std::unexpected(report.error());
  outcome.done = done.has_value();
  if (!done) outcome.error = done.error().text;
  if (std::filesystem::exists(scratch)) outcome.out = golden::contents(scratch);
  std::filesystem::remove(scratch);
  return outcome;
}

// The latencies of the inputs, ascending.
std::vector<std::int64_t> latencies(const Command& command) {
  const StandardInput standard_input(command.standard_input);
  std::vector<std::int64_t> all;
  auto reader = open_results(command.request.inputs);
  EXPECT_TRUE(reader);
  while (reader) {
    const auto batch = (*reader)->next();
    if (!batch || batch->empty()) break;
    for (const Result& r : *batch) all.push_back(r.latency.count());
  }
  std::sort(all.begin(), all.end());
  return all;
}

// The documented rule on the data itself, and how far a report may be from it.
double quantile(const std::vector<std::int64_t>& sorted, double q) {
  const double n = static_cast<double>(sorted.size()), at = q * n - 0.5;
  if (at <= 0) return static_cast<double>(sorted.front());
  if (at >= n - 1) return static_cast<double>(sorted.back());
  const auto i = static_cast<std::size_t>(at);
  const double share = at - static_cast<double>(i);
  return static_cast<double>(sorted[i]) * (1 - share) + static_cast<double>(sorted[i + 1]) * share;
}
double bound(double exact) { return std::abs(exact) * 0.0005 + 1; }

Strings lines_of(const std::string& text) {
  Strings lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Strings latency_values(const std::string& line) {
  Strings values;
  std::istringstream in(line.substr(line.find(']') + 1));
  for (std::string value; std::getline(in, value, ',');) values.emplace_back(trim(value));
  return values;
}

// min, mean and max must be equal; 50, 90, 95 and 99 those of the data, as rounded for people.
void compare_latency_lines(const std::string& got, const std::string& wanted, const std::vector<std::int64_t>& data) {
  if (got == wanted) return;
  const Strings ours = latency_values(got), theirs = latency_values(wanted);
  ASSERT_EQ(ours.size(), 7u);
  ASSERT_EQ(theirs.size(), 7u);
  for (const std::size_t i : {0, 1, 6}) EXPECT_EQ(ours[i], theirs[i]);
  constexpr std::array<double, 4> kQuantiles{0.5, 0.9, 0.95, 0.99};
  for (std::size_t i = 0; i < 4; ++i) {
    const double exact = quantile(data, kQuantiles[i]), value = static_cast<double>(parse_duration(ours[2 + i])->count());
    // a thousandth of the unit above is the rounding's
    EXPECT_LE(std::abs(value - exact), bound(exact) + std::abs(exact) * 0.0005) << ours[2 + i];
  }
}

void compare_text(const golden::Case& c, const std::string& out, const std::string& wanted, const std::vector<std::int64_t>& data) {
  const Strings got = lines_of(out), want = lines_of(wanted);
  const bool escaped = std::find(kEscaped.begin(), kEscaped.end(), c.id) != kEscaped.end() || c.id == "a/multi/report-mixed-shuffled";
  std::size_t i = 0;
  for (; i < want.size(); ++i) {
    ASSERT_LT(i, got.size());
    if (want[i].starts_with("Latencies"))
      compare_latency_lines(got[i], want[i], data);
    else
      EXPECT_EQ(got[i], want[i]);
    if (escaped && want[i] == "Error Set:") break;
  }
  if (escaped) {
    // What the errors are is compared with the JSON report's below; here, that none of their bytes is raw.
    for (const std::string& line : got) EXPECT_EQ(printable(line, true), line);
    return;
  }
  EXPECT_TRUE(i == got.size() || got[i].empty()) << "ours begin with an empty line, not with " << got[i];
}

const std::regex kQuantileField("\"(50|90|95|99)th\":(-?[0-9]+)");

void compare_json(const std::string& out, const std::string& wanted, const std::vector<std::int64_t>& data) {
  const auto without_quantiles = [](std::string text) {
    const std::size_t end = text.find("\"max\"");  // of the first object, the latencies
    return std::regex_replace(text.substr(0, end), kQuantileField, "") + text.substr(end);
  };
  std::string prefix = without_quantiles(wanted);
  ASSERT_TRUE(prefix.ends_with("}\n"));
  prefix.resize(prefix.size() - 2);
  EXPECT_EQ(without_quantiles(out).substr(0, prefix.size()), prefix);
  const auto ours = nlohmann::json::parse(out), theirs = nlohmann::json::parse(wanted);
  const auto& l = ours["latencies"];
  for (const auto& [name, q] : std::map<std::string, double>{{"50th", 0.5}, {"90th", 0.9}, {"95th", 0.95}, {"99th", 0.99}}) {
    const double exact = quantile(data, q), value = l[name].get<double>();
    EXPECT_LE(std::abs(value - exact), bound(exact)) << name;
    EXPECT_LE(l[name].get<std::int64_t>(), data.back());
    EXPECT_NEAR(value, theirs["latencies"][name].get<double>(), data.size() <= 100 ? 1 : INFINITY) << name;
  }
}

void compare_hdrplot(const std::string& out, const std::string& wanted, const std::vector<std::int64_t>& data) {
  const Strings got = lines_of(out), want = lines_of(wanted);
  ASSERT_EQ(got.size(), want.size());
  const auto cells = [](const std::string& line) {
    Strings all;
    std::istringstream in(line);
    for (std::string cell; in >> cell;) all.push_back(cell);
    return all;
  };
  EXPECT_EQ(cells(got[0]), cells(want[0]));
  for (std::size_t i = 1; i < got.size(); ++i) {
    const Strings ours = cells(got[i]), theirs = cells(want[i]);
    EXPECT_EQ(ours[1], theirs[1]);
    EXPECT_EQ(ours[3], theirs[3]);
    const double exact = quantile(data, std::stod(ours[1])), value = std::stod(ours[0]) * 1e6;
    EXPECT_LE(std::abs(value - exact), bound(exact)) << got[i];
    // Not q times the number of results but how many there are up to the value.
    const auto up_to = [&](double v) { return std::upper_bound(data.begin(), data.end(), v) - data.begin(); };
    const auto count = std::stoll(ours[2]);
    EXPECT_GE(count, up_to(value - 2 * bound(value))) << got[i];
    EXPECT_LE(count, up_to(value + 2 * bound(value))) << got[i];
  }
}

class ReportConformance : public ::testing::TestWithParam<golden::Case> {};

TEST_P(ReportConformance, GivesWhatTheReferenceGave) {
  const golden::Case& c = GetParam();
  const auto command = parse(c);
  if (!command) GTEST_SKIP() << "about the command line or the shell: " << c.command;
  std::filesystem::current_path(c.folder);
  const std::string scratch = golden::scratch_file("report_case");
  const Outcome outcome = run(*command, scratch);
  SCOPED_TRACE(c.command + "\n" + outcome.error + "\n" + c.note);
  EXPECT_EQ(outcome.error.find('\n'), std::string::npos) << "an error is one line";

  const auto difference = kDifferences.find(c.id);
  ASSERT_EQ(outcome.done, difference != kDifferences.end() ? difference->second.succeeds : c.exit == 0);
  EXPECT_EQ(outcome.done, outcome.error.empty());
  if (!outcome.done) {
    EXPECT_EQ(outcome.out, "");
    return;
  }
  EXPECT_EQ(outcome.warnings.size(), difference != kDifferences.end() && difference->second.warns ? 1u : 0u);
  if (c.exit != 0) return;
  const std::string wanted = golden::contents(c.stdout_file);
  const std::string& type = command->request.type;
  if (type.starts_with("hist"))
    EXPECT_EQ(outcome.out, wanted);
  else if (type == "text")
    compare_text(c, outcome.out, wanted, latencies(*command));
  else if (type == "json")
    compare_json(outcome.out, wanted, latencies(*command));
  else if (type == "hdrplot")
    compare_hdrplot(outcome.out, wanted, latencies(*command));
  else
    FAIL() << type;
}

INSTANTIATE_TEST_SUITE_P(Vegeta, ReportConformance, ::testing::ValuesIn(golden::cases_with("$TOOL report")), [](const auto& test) {
  std::string name = test.param.id;
  std::replace_if(name.begin(), name.end(), [](char ch) { return !std::isalnum(static_cast<unsigned char>(ch)); }, '_');
  return name;
});

// `{ head -n 3; sleep 0.4; tail -n 2; } | report -every=250ms`: the report that has become due while the fourth result was
// awaited comes right after it, and then the last. Between reports nothing but their own bytes: the reference clears the
// screen even where there is none.
TEST(ReportConformance, InterimReports) {
  std::filesystem::current_path(golden::root() + "/a/every");
  const Strings lines = lines_of(golden::contents("five.json"));
  ASSERT_EQ(lines.size(), 5u);
  for (const auto& [type, file] :
       std::map<std::string, std::string>{{"text", "every-text.out"}, {"json", "every-json.out"}, {"hist[0,3ms]", "every-hist.out"}}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&, to = ends[1]] {
      const auto write = [&](std::size_t first, std::size_t last) {
        std::string bytes;
        for (std::size_t i = first; i < last; ++i) bytes += lines[i] + "\n";
        EXPECT_EQ(::write(to, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
      };
      write(0, 3);
      for (int waiting = 1; waiting > 0;) {
        ASSERT_EQ(::ioctl(to, FIONREAD, &waiting), 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      write(3, 5);
      ::close(to);
    });
    const int saved = ::dup(0);
    ::dup2(ends[0], 0);
    ::close(ends[0]);
    const std::string scratch = golden::scratch_file("report_every");
    std::filesystem::remove(scratch);
    mode::ReportRequest request;
    request.type = type;
    request.every = std::chrono::milliseconds(250);
    request.output = scratch;
    const auto done = (*mode::Report::create(request, {.warn = [](std::string_view) {}}))->run();
    ::dup2(saved, 0);
    ::close(saved);
    writer.join();
    EXPECT_TRUE(done);
    std::string wanted = golden::contents(file);
    const std::string clear = "\x1b[2J\x1b[0;0H";
    if (wanted.starts_with(clear)) wanted.erase(0, clear.size());
    // Ours stand below the text, and say that four results are few.
    EXPECT_EQ(std::regex_replace(golden::contents(scratch), std::regex("\n\nWeak[^\n]*"), ""), wanted);
    std::filesystem::remove(scratch);
  }
}

TEST(ReportConformance, EveryDifferenceNamesACase) {
  const auto cases = golden::cases_with("$TOOL report");
  const auto named = [&](std::string_view id) {
    return std::any_of(cases.begin(), cases.end(), [&](const golden::Case& c) { return c.id == id; });
  };
  for (const auto& [id, difference] : kDifferences) EXPECT_TRUE(named(id)) << id;
  for (const std::string_view id : kEscaped) EXPECT_TRUE(named(id)) << id;
}

// Errors as the reference's JSON has them, in its order, each as one safe line.
TEST(ReportConformance, ErrorsAreTheSameInTheSameOrder) {
  for (const char* folder : {"a/mixed1000", "a/headers20", "a/allfail4"}) {
    std::filesystem::current_path(golden::root() + "/" + folder);
    Command command;
    command.zone = "UTC";
    command.standard_input = golden::contents(std::filesystem::exists("results.gob") ? "results.gob" : "results.gob.gz");
    const Outcome text = run(command, golden::scratch_file("report_errors"));
    const auto wanted = nlohmann::json::parse(golden::contents("report-json-gob.out"))["errors"].get<Strings>();
    std::string lines = "Error Set:\n";
    for (const std::string& error : wanted) {
      std::string shown = printable(error, true);
      if (shown == "tab\there") shown = "tab  here";  // a tab parts columns
      lines += shown + "\n";
    }
    EXPECT_NE((text.out + "\n").find(lines + "\n"), std::string::npos) << text.out << "\nwants\n" << lines;
  }
}

Strings cells_of(const std::string& row) {
  Strings cells;
  std::istringstream in(row);
  for (std::string cell; std::getline(in, cell, '\t');) cells.push_back(cell);
  return cells;
}

std::string result_line(std::int64_t latency, std::int64_t at_us = 0) {
  const std::string fraction = std::to_string(1'000'000 + at_us % 1'000'000).substr(1);
  return R"({"attack":"","seq":0,"code":200,"timestamp":"2023-11-14T22:13:)" + std::to_string(20 + at_us / 1'000'000) + "." + fraction +
         R"(Z","latency":)" + std::to_string(latency) +
         R"(,"bytes_out":0,"bytes_in":0,"error":"","body":null,"method":"GET","url":"http://127.0.0.1/","headers":null})" + "\n";
}

Outcome report_on(std::string results, std::string type, std::string buckets = {}) {
  Command command;
  command.standard_input = std::move(results);
  command.request.type = std::move(type);
  command.request.buckets = std::move(buckets);
  return run(command, golden::scratch_file("report_on"));
}

TEST(ReportConformance, DurationsArePrintedAsTheReferenceDoes) {
  const Strings rows = lines_of(golden::contents(golden::root() + "/e/durations.tsv"));
  ASSERT_GT(rows.size(), 100u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Strings cells = cells_of(rows[i]);
    const std::int64_t latency = std::stoll(cells[0]);
    const std::string results = result_line(latency);
    const Strings text = lines_of(report_on(results, "text").out);
    const Strings values = latency_values(text[2]), duration = latency_values(text[1]);
    EXPECT_EQ(values[0], cells[1]) << "min of " << latency;
    EXPECT_EQ(values[1], cells[2]) << "mean of " << latency;
    EXPECT_EQ(values[6], cells[4]) << "max of " << latency;
    EXPECT_EQ(duration[0], cells[5]) << "total of " << latency;
    EXPECT_EQ(duration[2], cells[6]) << "wait of " << latency;
    const auto json = nlohmann::json::parse(report_on(results, "json").out)["latencies"];
    EXPECT_EQ(json["mean"].get<std::int64_t>(), std::stoll(cells[7])) << latency;
    // The reference's percentile goes through a floating-point number and loses what lies beyond 2^53; ours is the value.
    EXPECT_EQ(json["50th"].get<std::int64_t>(), latency);
    if (std::abs(static_cast<double>(latency)) < 9e15) {
      EXPECT_EQ(values[2], cells[3]) << "50 of " << latency;
      EXPECT_EQ(std::to_string(latency), cells[8]);
      EXPECT_EQ(lines_of(report_on(results, "hdrplot").out)[1].substr(0, cells[9].size() + 1), cells[9] + " ") << latency;
    }
  }
}

TEST(ReportConformance, BucketTextsAreReadAndPrintedAsTheReferenceDoes) {
  const Strings rows = lines_of(golden::contents(golden::root() + "/e/bucket-durations.tsv"));
  ASSERT_GT(rows.size(), 60u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    Strings cells = cells_of(rows[i]);
    cells.resize(4);
    const Outcome hist = report_on(result_line(1), "hist[" + cells[0] + "]");
    EXPECT_EQ(hist.done, cells[3].empty()) << rows[i];
    if (!hist.done) continue;
    // The bound stands at the start of the last row.
    EXPECT_EQ(lines_of(hist.out).back().substr(0, cells[1].size() + 2), "[" + cells[1] + ",") << rows[i];
    const Outcome json = report_on(result_line(1), "json", "[" + cells[0] + "]");
    EXPECT_TRUE(nlohmann::json::parse(json.out)["buckets"].contains(cells[2])) << rows[i];
  }
}

// Synthetic latencies of many shapes and sizes: where the reference is exact so are we, to the nanosecond; where it estimates
// we stay with the data.
TEST(ReportConformance, PercentilesOfSyntheticData) {
  const Strings rows = lines_of(golden::contents(golden::root() + "/e/tdigest.tsv"));
  ASSERT_GT(rows.size(), 200u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Strings cells = cells_of(rows[i]);
    const std::string& kind = cells[0];
    const auto n = static_cast<std::uint64_t>(std::stoll(cells[1]));
    std::vector<std::int64_t> data;
    std::string results;
    std::uint64_t x = 12345;
    for (std::uint64_t k = 0; k < n; ++k) {
      x = (x * 1103515245 + 12345) % (std::uint64_t{1} << 31);
      const auto lcg = static_cast<std::int64_t>(x % 100'000'000) + 1;
      const double part = static_cast<double>(lcg) / 1e8;
      const auto count = static_cast<std::int64_t>(k);
      data.push_back(kind == "up"      ? (count + 1) * 1'000'000
                     : kind == "down"  ? (static_cast<std::int64_t>(n) - count) * 1'000'000
                     : kind == "const" ? 5'000'000
                     : kind == "two"   ? (k % 2 == 0 ? 9'000'000 : 1'000'000)
                     : kind == "lcg"   ? lcg
                                       : static_cast<std::int64_t>(part * part * part * 1e9) + 1);
      results += result_line(data.back(), count);
    }
    const auto json = nlohmann::json::parse(report_on(results, "json").out)["latencies"];
    std::sort(data.begin(), data.end());
    const Strings names{"mean", "50th", "90th", "95th", "99th", "max", "min"};
    for (std::size_t k = 0; k < names.size(); ++k) {
      const double ours = json[names[k]].get<double>(), theirs = std::stod(cells[2 + k]);
      const bool is_quantile = names[k].ends_with("th");
      const double exact = is_quantile ? quantile(data, std::stod(names[k]) / 100) : theirs;
      EXPECT_LE(std::abs(ours - exact), is_quantile ? bound(exact) : 1) << rows[i] << " " << names[k];
      EXPECT_NEAR(ours, theirs, n <= 100 ? 1 : INFINITY) << rows[i] << " " << names[k];
    }
  }
}

}  // namespace
}  // namespace thrum
