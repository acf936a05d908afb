#include "report/entries.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace thrum::report {
namespace {

TEST(Entries, EachHasItsLabelAndItsWords) {
  std::set<std::string_view> labels;
  for (const Entry& e : entries()) {
    EXPECT_TRUE(labels.insert(e.label).second) << e.label;
    EXPECT_EQ(&entry(e.id), &e);
    EXPECT_GT(e.means.size(), 20u) << e.label;
    EXPECT_FALSE(e.when.empty()) << e.label;
    EXPECT_TRUE(e.json.starts_with('.')) << e.label;
  }
}

TEST(Entries, ExplainFitsATerminal) {
  std::istringstream in(explain());
  for (std::string line; std::getline(in, line);) EXPECT_LE(line.size(), 100u) << line;
}

// The manual's table is made from this one. THRUM_UPDATE_DOCS=1 brings the page up to date.
TEST(Entries, TheManualHasTheSameTable) {
  const std::string page = THRUM_TEST_DATA "/../../docs/reading-a-report.md";
  std::ostringstream bytes;
  bytes << std::ifstream(page).rdbuf();
  const std::string text = bytes.str(), first = "<!-- entries -->\n", last = "<!-- end -->";
  const std::size_t from = text.find(first) + first.size(), to = text.find(last);
  ASSERT_LT(from, text.size());
  ASSERT_LE(from, to);
  if (std::getenv("THRUM_UPDATE_DOCS") != nullptr)
    std::ofstream(page) << text.substr(0, from) + explain_as_markdown() + text.substr(to);
  else
    EXPECT_EQ(text.substr(from, to - from), explain_as_markdown()) << "run report_test with THRUM_UPDATE_DOCS=1";
}

}  // namespace
}  // namespace thrum::report
