#include "report/columns.hpp"

#include <gtest/gtest.h>

namespace thrum::report {
namespace {

struct Row {
  const char* text;
  const char* aligned;
};

TEST(Columns, Rows) {
  const Row rows[] = {
      {"", ""},
      {"plain\n", "plain\n"},
      {"a\tb\n", "a  b\n"},
      {"a\tb\nlonger\tc\n", "a       b\nlonger  c\n"},
      // a column ends where a line has no cell in it
      {"a\tb\nbreak\nlonger\tc\n", "a  b\nbreak\nlonger  c\n"},
      // what follows the last tab belongs to no column, but an ended empty cell does
      {"a\t\n", "a  \n"},
      {"%\tbar\n0%\t\n100%\t###\n", "%     bar\n0%    \n100%  ###\n"},
      {"Bucket\t\t#\n[0s,\t1ms]\t0\n", "Bucket        #\n[0s,    1ms]  0\n"},
      // width is in characters, not bytes
      {"\u00b5\u00b5\tx\nabc\ty\n", "\u00b5\u00b5   x\nabc  y\n"},
      // columns further right run only as far as their lines do
      {"a\tbb\tc\nd\te\nf\tgggg\th\n", "a  bb  c\nd  e\nf  gggg  h\n"},
      {"no newline\tat the end", "no newline  at the end\n"},
      {"\n\n", "\n\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(align_columns(row.text), row.aligned) << row.text;
}

}  // namespace
}  // namespace thrum::report
