#include "report/plot_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace thrum::report {
namespace {

using Names = std::vector<std::string>;

struct Row {
  std::vector<NamedRun> runs;
  Names labels, shown;
};

TEST(PlotNames, Table) {
  const std::vector<Row> rows = {
      // one run
      {{{"hello", "a.bin"}}, {"hello"}, {"hello"}},
      {{{"", "out/a.bin"}}, {""}, {"a.bin"}},
      {{{"", "stdin"}}, {""}, {"stdin"}},
      // different names, one of them missing
      {{{"a", "1.bin"}, {"b", "1.bin"}, {"", "2.bin"}}, {"a", "b", ""}, {"a", "b", "2.bin"}},
      // no names
      {{{"", "x/m1.bin"}, {"", "x/m2.bin"}}, {"m1.bin", "m2.bin"}, {"m1.bin", "m2.bin"}},
      {{{"", "x/m.bin"}, {"", "y/m.bin"}}, {"x/m.bin", "y/m.bin"}, {"x/m.bin", "y/m.bin"}},
      // equal names
      {{{"step", "1.bin"}, {"step", "2.bin"}, {"other", "2.bin"}},
       {"step (1.bin)", "step (2.bin)", "other"},
       {"step (1.bin)", "step (2.bin)", "other"}},
      // the same file twice, or two runs in one
      {{{"", "a.bin"}, {"", "a.bin"}, {"", "a.bin"}}, {"a.bin", "a.bin #2", "a.bin #3"}, {"a.bin", "a.bin #2", "a.bin #3"}},
      // a name that looks like a file's
      {{{"a.bin", "b.bin"}, {"", "a.bin"}}, {"a.bin", ""}, {"a.bin", "a.bin #2"}},
      {{{"", "dir/"}, {"", "/"}}, {"dir/", "/"}, {"dir/", "/"}},
  };
  for (const Row& row : rows) {
    Names labels, shown;
    for (const RunName& name : names_of(row.runs)) {
      labels.push_back(name.label);
      shown.push_back(name.shown);
    }
    EXPECT_EQ(labels, row.labels);
    EXPECT_EQ(shown, row.shown);
  }
}

}  // namespace
}  // namespace thrum::report
