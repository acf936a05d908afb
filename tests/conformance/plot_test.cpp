// Every recorded `plot` of the reference, done by the mode that `thrum plot` calls. Of the page, title, headline, options and
// series must be the reference's to the byte. It gives its series as rows, a column for each; rows of one time it orders at
// random, and so they are put in order here. Where thrum differs on purpose, the case stands in kDifferences with a reason;
// docs/vegeta-differences.md has the same in prose.
#include "mode/plot.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "golden.hpp"
#include "standard_input.hpp"

namespace thrum {
namespace {

using Strings = std::vector<std::string>;

struct Difference {
  std::vector<std::pair<std::string, std::size_t>> series;  // label and number of points
  std::string_view reason;
};

const std::map<std::string_view, Difference> kDifferences = {
    {"a/seqgap20/plotdata", {{{": OK", 20}}, "a gap in sequence numbers hides nothing behind it"}},
    {"a/extremetimes8/plotdata", {{{": OK", 8}}, "times are the results' own, however far apart, and in order"}},
    {"a/seqdisagree50/plotdata", {{{": OK", 50}}, "points are in order of time; sequence numbers only break ties"}},
    {"a/multi/plot-same-attack", {{{"results.gob: OK", 3}, {"results.json: OK", 5}}, "runs without a name are told apart by their files"}},
};

struct Command {
  mode::PlotRequest request;
  std::string standard_input;
};

// The shapes of the recorded commands: [zcat FILE |] $TOOL plot [-title X] [--threshold X] [-output=X] [FILE…].
std::optional<Command> parse(const golden::Case& c) {
  Command command;
  const Strings words = golden::words(c.command);
  std::size_t i = 0;
  if (words[i] == "zcat") {
    command.standard_input = golden::contents(c.folder + "/" + words[1]);
    i = 3;
  }
  if (words[i++] != "$TOOL" || words[i++] != "plot") return std::nullopt;
  for (; i < words.size(); ++i) {
    const std::string flag = words[i].substr(words[i].find_first_not_of('-'));
    if (!words[i].starts_with('-'))
      command.request.inputs.push_back(words[i]);
    else if (flag == "title")
      command.request.title = words[++i];
    else if (flag == "threshold")
      command.request.threshold = std::stoull(words[++i]);
    else if (flag.starts_with("threshold=") && std::isdigit(static_cast<unsigned char>(flag[10])))
      command.request.threshold = std::stoull(flag.substr(10));
    else if (flag.starts_with("output="))
      command.request.output = flag.substr(7);
    else
      return std::nullopt;  // about flags: a matter of the command line
  }
  return command;
}

std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return "(no " + std::string(from) + ")";
  const std::size_t end = text.find(to, begin + from.size());
  return text.substr(begin + from.size(), end - begin - from.size());
}

// What the reference's files keep of a page.
struct PlotData {
  std::string title, headline, options;
  Strings labels;
  std::vector<std::vector<std::pair<double, std::string>>> series;  // by column: time, and "time,latency" as written
};

Strings split(const std::string& text) {
  Strings parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Strings labels_of(const std::string& options) {
  Strings labels = nlohmann::json::parse(options).at("labels");
  labels.erase(labels.begin());  // "Seconds"
  return labels;
}

PlotData of_reference(const std::string& file) {
  PlotData data;
  data.title = between(file, "title: ", "\n");
  data.headline = between(file, "h1: ", "\n");
  data.options = between(file, "opts: ", "\nrowData: ");
  data.labels = labels_of(data.options);
  data.series.resize(data.labels.size());
  for (std::size_t at = file.find("\n    [", file.find("rowData: ")); at != std::string::npos; at = file.find("\n    [", at + 1)) {
    const Strings row = split(file.substr(at + 6, file.find(']', at) - at - 6));
    EXPECT_EQ(row.size(), data.labels.size() + 1);
    for (std::size_t i = 1; i < row.size(); ++i)
      if (row[i] != "null") data.series[i - 1].push_back({std::stod(row[0]), row[0] + "," + row[i]});
  }
  for (auto& series : data.series) std::ranges::sort(series);
  return data;
}

PlotData of_page(const std::string& page) {
  PlotData data;
  data.title = between(page, "<title>", "</title>");
  data.headline = between(page, "<h1>", "</h1>");
  const std::string json = between(page, R"(<script type="application/json" id="data">)", "</script>");
  data.options = between(json, "\"opts\": ", ",\n\"series\"");
  data.labels = labels_of(data.options);
  const std::string all = between(json, "\"series\": [", ",\n\"runs\"");
  for (std::size_t at = all.find("\n{"); at != std::string::npos; at = all.find("\n{", at + 1)) {
    const std::string points = between(all.substr(at), "\"points\":", "}");
    const Strings x = split(between(points, "\"x\":[", "]")), y = split(between(points, "\"y\":[", "]"));
    EXPECT_EQ(x.size(), y.size());
    data.series.emplace_back();
    for (std::size_t i = 0; i < x.size(); ++i) data.series.back().push_back({std::stod(x[i]), x[i] + "," + y[i]});
    EXPECT_TRUE(std::ranges::is_sorted(data.series.back(), {}, &std::pair<double, std::string>::first));
    std::ranges::sort(data.series.back());
  }
  return data;
}

class PlotConformance : public ::testing::TestWithParam<golden::Case> {};

TEST_P(PlotConformance, GivesWhatTheReferenceGave) {
  const golden::Case& c = GetParam();
  auto command = parse(c);
  if (!command) GTEST_SKIP() << "about the command line: " << c.command;
  std::filesystem::current_path(c.folder);
  const std::string scratch = golden::scratch_file("plot_case");
  const StandardInput standard_input(command->standard_input);
  if (command->request.output == "stdout") command->request.output = scratch;
  const auto plot = mode::Plot::create(command->request, {.warn = [](std::string_view line) { ADD_FAILURE() << line; }});
  const Expected<void> done = plot ? (*plot)->run() : std::unexpected(plot.error());
  SCOPED_TRACE(c.command + "\n" + c.note);

  const auto difference = kDifferences.find(c.id);
  ASSERT_EQ(done.has_value(), difference != kDifferences.end() || c.exit == 0) << (done ? "" : done.error().text);
  if (!done) {
    EXPECT_EQ(done.error().text.find('\n'), std::string::npos) << "an error is one line";
    EXPECT_FALSE(std::filesystem::exists(scratch));
    return;
  }
  const PlotData ours = of_page(golden::contents(scratch));
  std::filesystem::remove(scratch);
  if (difference != kDifferences.end()) {
    SCOPED_TRACE(difference->second.reason);
    std::vector<std::pair<std::string, std::size_t>> series;
    for (std::size_t i = 0; i < ours.labels.size(); ++i) series.push_back({ours.labels[i], ours.series.at(i).size()});
    EXPECT_EQ(series, difference->second.series);
    return;
  }
  PlotData theirs = of_reference(golden::contents(c.stdout_file));
  if (theirs.title == "Vegeta Plot") {  // the default names the program that made the page
    theirs.title = theirs.headline = "thrum plot";
    theirs.options.replace(theirs.options.find("Vegeta Plot"), 11, "thrum plot");
  }
  EXPECT_EQ(ours.title, theirs.title);
  EXPECT_EQ(ours.headline, theirs.headline);
  EXPECT_EQ(ours.options, theirs.options);
  EXPECT_EQ(ours.series, theirs.series);
}

TEST(PlotDifferences, NameCases) {
  const auto cases = golden::cases_with("$TOOL plot");
  for (const auto& [id, difference] : kDifferences) EXPECT_EQ(std::ranges::count(cases, id, &golden::Case::id), 1) << id;
}

INSTANTIATE_TEST_SUITE_P(Vegeta, PlotConformance, ::testing::ValuesIn(golden::cases_with("$TOOL plot")), [](const auto& test) {
  std::string name = test.param.id;
  std::replace_if(name.begin(), name.end(), [](char ch) { return !std::isalnum(static_cast<unsigned char>(ch)); }, '_');
  return name;
});

}  // namespace
}  // namespace thrum
