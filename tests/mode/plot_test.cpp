#include "mode/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "results_files.hpp"

namespace thrum::mode {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

struct Outcome {
  Expected<void> done;
  json data;
  std::vector<std::string> warnings;
};

Outcome plot(const Folder& folder, PlotRequest request, std::function<void(Plot&)> before = {}) {
  Outcome outcome;
  if (request.output == "stdout") request.output = folder.file("page.html");
  auto made = Plot::create(request, {.warn = [&](std::string_view line) { outcome.warnings.emplace_back(line); }});
  if (!made) {
    outcome.done = std::unexpected(made.error());
    return outcome;
  }
  if (before) before(**made);
  outcome.done = (*made)->run();
  const std::string page = Folder::get(request.output);
  const std::size_t begin = page.find("id=\"data\">");
  if (begin != std::string::npos) outcome.data = json::parse(page.substr(begin + 10, page.find("</script>", begin) - begin - 10));
  return outcome;
}

TEST(PlotMode, ARecordedRunTellsWhatWasAsked) {
  const Folder folder;
  const Outcome o = plot(folder, {.inputs = {folder.put("a.bin", encoded(Encoding::native, 120))}});
  ASSERT_TRUE(o.done) << o.done.error().text;
  const json& run = o.data.at("runs").at(0);
  EXPECT_EQ(run.at("results"), 120);
  EXPECT_EQ(run.at("missed"), 3);
  EXPECT_TRUE(run.at("lag").is_object());
  EXPECT_EQ(o.data.at("series").at(0).at("points").at("y").at(119), 120);
  EXPECT_THAT(o.warnings, ElementsAre());
}

TEST(PlotMode, EveryEncodingGivesTheSameSeries) {
  const Folder folder;
  std::vector<json> series;
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv}) {
    const Outcome o = plot(folder, {.inputs = {folder.put("r", encoded(e, 300, "name"))}});
    ASSERT_TRUE(o.done) << o.done.error().text;
    series.push_back(o.data.at("series"));
  }
  for (const json& s : series) EXPECT_EQ(s, series[0]);
}

TEST(PlotMode, FilesWithoutNamesAreToldApartByFile) {
  const Folder folder;
  const Outcome o =
      plot(folder, {.inputs = {folder.put("a.bin", encoded(Encoding::gob, 5)), folder.put("b.bin", encoded(Encoding::json, 7))}});
  ASSERT_TRUE(o.done);
  EXPECT_EQ(o.data.at("opts").at("labels"), json({"Seconds", "a.bin: OK", "b.bin: OK"}));
}

TEST(PlotMode, WhatIsWholeIsPlottedAndTheRestWarnedOf) {
  const Folder folder;
  std::string torn = encoded(Encoding::native, 5000);
  torn.resize(torn.size() / 2);
  const std::string file = folder.put("torn.bin", torn);
  const Outcome o = plot(folder, {.inputs = {file}});
  ASSERT_TRUE(o.done);
  EXPECT_THAT(o.warnings, ElementsAre(HasSubstr("torn.bin")));
  const Outcome strict = plot(folder, {.inputs = {file}, .output = folder.file("strict.html"), .strict = true});
  ASSERT_FALSE(strict.done);
  EXPECT_TRUE(strict.data.is_null());
}

TEST(PlotMode, RefusesBeforeItReads) {
  const Folder folder;
  const std::string file = folder.put("a.bin", encoded(Encoding::native, 5));
  for (const std::uint64_t threshold : {1u, 2u}) {
    const Outcome o = plot(folder, {.inputs = {file}, .threshold = threshold});
    ASSERT_FALSE(o.done);
    EXPECT_EQ(o.done.error().kind, ErrorKind::usage);
    EXPECT_THAT(o.done.error().text, HasSubstr("at least 3"));
  }
  const std::string before = Folder::get(file);
  const Outcome over_input = plot(folder, {.inputs = {file}, .output = file, .force = true});
  ASSERT_FALSE(over_input.done);
  EXPECT_EQ(Folder::get(file), before);
  EXPECT_FALSE(plot(folder, {.inputs = {folder.file("nosuch.bin")}}).done);
}

TEST(PlotMode, ARunWithoutResultsIsNothingToPlot) {
  const Folder folder;
  const Outcome o = plot(folder, {.inputs = {folder.put("none.bin", encoded(Encoding::native, 0))}});
  ASSERT_FALSE(o.done);
  EXPECT_THAT(o.done.error().text, HasSubstr("no results in"));
}

TEST(PlotMode, ToldToEndItPlotsWhatItHas) {
  const Folder folder;
  const std::string file = folder.put("a.json", encoded(Encoding::json, 50'000));
  const Outcome stopped = plot(folder, {.inputs = {file}}, [](Plot& p) { p.stop(); });
  ASSERT_FALSE(stopped.done);  // before the first result
  EXPECT_THAT(stopped.warnings, ElementsAre(HasSubstr("interrupted")));
}

}  // namespace
}  // namespace thrum::mode
