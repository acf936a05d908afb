// Other implementations. A second reader of the native format, in Python, written from its description; and, with the reference
// program at hand (its path in VEGETA, else on the PATH): it reads the gob that we write, and we read
// what it writes, value by value.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "samples.hpp"

namespace thrum {
namespace {

using samples::Kept;
using samples::TemporaryFile;

std::string reference() {
  if (const char* const named = std::getenv("VEGETA")) return named;
  std::istringstream folders(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::exists(folder + "/vegeta")) return folder + "/vegeta";
  return {};
}

std::vector<nlohmann::json> values(const std::string& lines) {
  std::vector<nlohmann::json> all;
  std::istringstream text(lines);
  for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
  return all;
}

class Reference : public ::testing::Test {
 protected:
  void SetUp() override {
    if (reference().empty()) GTEST_SKIP() << "no vegeta on the PATH";
  }

  static std::string encode(const std::string& input, const std::string& to) {
    const TemporaryFile out;
    const std::string command = "TZ=UTC '" + reference() + "' encode -to " + to + " -output '" + out.path() + "' '" + input + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return out.contents();
  }

  // What both formats and both programs hold.
  const Kept kept_ = samples::mixed(10'000, 77, {.times = false, .captures = true, .wild = true});
};

TEST_F(Reference, ReadsOurGob) {
  const TemporaryFile ours(samples::encoded(kept_.rows(), Encoding::gob));
  const auto theirs = values(encode(ours.path(), "json"));
  const auto read = samples::read(samples::encoded(kept_.rows(), Encoding::gob));
  const auto wanted = values(samples::encoded(read.results.rows(), Encoding::json));
  ASSERT_EQ(theirs.size(), 10'000u);
  ASSERT_EQ(wanted.size(), 10'000u);
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_EQ(theirs[i], wanted[i]) << i;
}

TEST_F(Reference, WritesGobThatWeRead) {
  const TemporaryFile ours(samples::encoded(kept_.rows(), Encoding::json));
  const std::string gob = encode(ours.path(), "gob");
  const auto read = samples::read(gob);
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.damage.empty());
  ASSERT_EQ(read.results.size(), 10'000u);
  const auto from_json = samples::read(samples::encoded(kept_.rows(), Encoding::json));
  for (std::size_t i = 0; i < 10'000; ++i) {
    Result wanted = from_json.results.rows()[i], got = read.results.rows()[i];
    if (wanted.body && wanted.body->empty()) wanted.body.reset();
    const auto as_json = [](const Result& r) { return nlohmann::json::parse(samples::encoded({r}, Encoding::json)); };
    ASSERT_EQ(as_json(got), as_json(wanted)) << i;  // values, since theirs comes from a map
  }
}

TEST_F(Reference, WritesCsvAsWeDo) {
  const TemporaryFile ours(samples::encoded(kept_.rows(), Encoding::gob));
  EXPECT_EQ(encode(ours.path(), "csv"), samples::encoded(kept_.rows(), Encoding::csv));
}

TEST(SecondReader, ReadsTheNativeFormatFromItsDescription) {
  if (std::system("python3 -c pass >/dev/null 2>&1") != 0 || std::system("zstd --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs python3 and zstd";
  for (const bool wild : {false, true}) {
    Kept kept;
    const Kept all = samples::mixed(2000, 31, {.times = true, .captures = true, .wild = wild});
    for (const Result& r : all.rows()) {
      Result row = r;
      if (wild)
        row.attack = row.error = row.name = "", row.url = "http://h/", row.has_headers = false, row.headers = {};  // odd bytes are no JSON
      kept.add(row);
    }
    const TemporaryFile file(samples::encoded(kept.rows(), Encoding::native, 300)), out;
    const std::string command = "python3 '" SECOND_READER "' '" + file.path() + "' > '" + out.path() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto theirs = values(out.contents()), ours = values(samples::encoded(kept.rows(), Encoding::json));
    ASSERT_EQ(theirs.size(), ours.size());
    for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_EQ(theirs[i], ours[i]) << i;
  }
}

}  // namespace
}  // namespace thrum
