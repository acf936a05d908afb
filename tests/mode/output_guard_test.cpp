#include "mode/output_guard.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace thrum::mode {
namespace {

class OutputGuard : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "guardXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::ofstream(file("targets.txt")) << "GET http://127.0.0.1/\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(OutputGuard, RefusesAnInputByAnyOfItsNames) {
  std::filesystem::create_symlink("targets.txt", file("link"));
  std::filesystem::create_hard_link(file("targets.txt"), file("hard"));
  const std::string targets = file("targets.txt");
  const std::vector<Input> inputs{{"-body", ""}, {"-targets", targets}};
  for (const std::string& output : {file("targets.txt"), file("link"), file("hard"), file("./targets.txt")}) {
    const auto guarded = guard_output(output, inputs);
    ASSERT_FALSE(guarded) << output;
    EXPECT_EQ(guarded.error().kind, ErrorKind::usage);
    EXPECT_THAT(guarded.error().text, testing::HasSubstr("-targets reads"));
  }
}

TEST_F(OutputGuard, LetsOtherFilesAndDevicesBe) {
  std::ofstream(file("other.bin")) << "x";
  const std::string targets = file("targets.txt");
  const std::vector<Input> inputs{{"-targets", targets}, {"-body", "/dev/null"}, {"-cert", file("absent.pem")}};
  for (const std::string& output : {file("other.bin"), file("absent.bin"), std::string("/dev/null"), std::string("stdout")})
    EXPECT_TRUE(guard_output(output, inputs)) << output;
}

}  // namespace
}  // namespace thrum::mode
