#include "serve/access_log.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace thrum::serve {
namespace {

std::vector<nlohmann::json> lines_of(const std::string& path) {
  std::vector<nlohmann::json> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

RequestHead head_of(std::string_view target, std::vector<Header> headers = {}) {
  RequestHead head;
  head.method = "GET";
  head.target = target;
  head.headers = std::move(headers);
  return head;
}

class AccessLogTest : public testing::Test {
 protected:
  ~AccessLogTest() override { std::filesystem::remove(path_); }
  const std::string path_ = testing::TempDir() + "access_log_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
  net::Timers timers_;
};

TEST_F(AccessLogTest, HasALineForEachRequest) {
  {
    auto log = AccessLog::create(path_, timers_);
    ASSERT_TRUE(log) << log.error().text;
    (*log)->note(head_of("/a?b=c", {{"X-Thrum-Seq", "17"}}));
    (*log)->note(head_of("/d", {{"X-Thrum-Seq", "17;x"}}));
    EXPECT_NE(timers_.next(), kNever) << "it is written before long";
  }
  const auto lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["target"], "/a?b=c");
  EXPECT_EQ(lines[0]["seq"], 17);
  EXPECT_GT(lines[0]["ns"].get<std::int64_t>(), 1'700'000'000'000'000'000);
  EXPECT_FALSE(lines[1].contains("seq"));
}

TEST_F(AccessLogTest, StaysJsonWhateverClientsWrite) {
  const std::string wild = "/\"\\\x01\x7f\xff\n</script>";
  {
    auto log = AccessLog::create(path_, timers_);
    ASSERT_TRUE(log);
    (*log)->note(head_of(wild));
  }
  const auto lines = lines_of(path_);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["target"], "/\"\\\x01\x7f\u00ff\n</script>");
}

TEST_F(AccessLogTest, WritesWhenThereIsMuch) {
  auto log = AccessLog::create(path_, timers_);
  ASSERT_TRUE(log);
  for (int i = 0; i < 10'000; ++i) (*log)->note(head_of("/some/path"));
  EXPECT_GT(std::filesystem::file_size(path_), 100'000u);
  EXPECT_EQ((*log)->lost(), 0u);
}

TEST_F(AccessLogTest, CountsWhatADiskDoesNotTake) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  auto log = AccessLog::create("/dev/full", timers_);
  ASSERT_TRUE(log);
  for (int i = 0; i < 10'000; ++i) (*log)->note(head_of("/some/path"));
  EXPECT_GT((*log)->lost(), 0u);
}

TEST_F(AccessLogTest, NeedsAFileThatCanBeWritten) {
  const auto log = AccessLog::create("/no/such/folder/x", timers_);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().text, testing::StartsWith("-log /no/such/folder/x: "));
}

}  // namespace
}  // namespace thrum::serve
