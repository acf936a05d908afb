// Pages of the program that setting up has touched, and their way out of memory.
#include "host/program_pages.hpp"

#include <gtest/gtest.h>

#include "host/kernel_text.hpp"

namespace thrum::host {
namespace {

std::uint64_t file_pages() { return value_of(read_text("/proc/self/status"), "RssFile").value_or(0); }

TEST(ProgramPages, LeaveAndComeBack) {
  if (value_of(read_text("/proc/self/status"), "TracerPid").value_or(1) != 0) GTEST_SKIP() << "something is attached";
  const std::uint64_t before = file_pages();
  if (before == 0) GTEST_SKIP() << "this kernel doesn't say";
  give_back_program_pages();
  EXPECT_LT(file_pages(), before);
  EXPECT_EQ(std::string(64, 'x').size(), 64U);  // code and constants are still there
}

}  // namespace
}  // namespace thrum::host
