#include "mode/same_file.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace thrum::mode {
namespace {

class SameFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "sameXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(file("targets.txt")) << "GET http://127.0.0.1/\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(SameFile, IsSeenUnderAnyName) {
  std::filesystem::create_symlink("targets.txt", file("link"));
  std::filesystem::create_hard_link(file("targets.txt"), file("hard"));
  for (const std::string& output : {file("targets.txt"), file("link"), file("hard"), file("./targets.txt")})
    EXPECT_TRUE(is_same_file(output, file("targets.txt"))) << output;
}

TEST_F(SameFile, LetsOtherFilesAndDevicesBe) {
  std::ofstream(file("other.bin")) << "x";
  for (const std::string& output : {file("other.bin"), file("absent.bin"), std::string("stdout")})
    EXPECT_FALSE(is_same_file(output, file("targets.txt"))) << output;
  EXPECT_FALSE(is_same_file("/dev/null", "/dev/null"));
  EXPECT_FALSE(is_same_file(file("other.bin"), ""));
}

}  // namespace
}  // namespace thrum::mode
