#include "mode/encode.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "record/encoder.hpp"

namespace thrum::mode {
namespace {

class Encode : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / "thrum-encode-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(std::string_view name) const { return folder_ + "/" + std::string(name); }

  std::string write(std::string_view name, Encoding encoding, std::size_t count, std::uint64_t from = 0) const {
    std::vector<Result> rows(count);
    for (std::size_t i = 0; i < count; ++i) rows[i].seq = from + i, rows[i].code = 200;
    const auto encoder = make_encoder(encoding);
    std::string bytes;
    encoder->begin({}, bytes);
    encoder->append(rows, bytes);
    encoder->flush(bytes);
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string contents(std::string_view name) const {
    std::ostringstream bytes;
    bytes << std::ifstream(path(name), std::ios::binary).rdbuf();
    return bytes.str();
  }

  Expected<std::uint64_t> run(const EncodeOptions& options) {
    warnings_.clear();
    return run_encode(options, {.warn = [this](std::string_view line) { warnings_.emplace_back(line); }});
  }

  std::string folder_;
  std::vector<std::string> warnings_;
};

TEST_F(Encode, SeveralFilesInTurn) {
  EncodeOptions options;
  options.inputs = {write("a", Encoding::native, 2, 10), write("b", Encoding::gob, 3, 20)};
  options.to = Encoding::csv;
  options.csv_header = true;
  options.output = path("out.csv");
  const auto count = run(options);
  ASSERT_TRUE(count) << count.error().text;
  EXPECT_EQ(*count, 5u);
  EXPECT_TRUE(warnings_.empty());
  std::istringstream lines(contents("out.csv"));
  std::string seqs;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 9; ++i) std::getline(fields, field, ',');
    seqs += field + " ";
  }
  EXPECT_EQ(seqs, "seq 10 20 11 21 22 ");
}

TEST_F(Encode, DamageIsAWarningAndWithStrictAnError) {
  EncodeOptions options;
  options.inputs = {write("a", Encoding::json, 2)};
  std::ofstream(path("a"), std::ios::app) << "{broken\n";
  options.to = Encoding::csv;
  options.output = path("out.csv");
  auto count = run(options);
  ASSERT_TRUE(count) << count.error().text;
  EXPECT_EQ(*count, 2u);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with(path("a") + ": byte ")) << warnings_[0];

  options.strict = true;
  count = run(options);
  ASSERT_FALSE(count);
  EXPECT_TRUE(warnings_.empty());
  const std::string out = contents("out.csv");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 2) << "what stood before it came out";
}

TEST_F(Encode, AFileOfNothingButDamageIsOneErrorAndNoWarning) {
  EncodeOptions options;
  write("whole", Encoding::gob, 1);
  std::ofstream(path("torn"), std::ios::binary) << contents("whole").substr(0, 10);
  options.inputs = {write("a", Encoding::json, 2), path("torn")};
  std::ofstream(path("a"), std::ios::app) << "{broken\n";
  options.output = path("out");
  const auto count = run(options);
  ASSERT_FALSE(count);
  EXPECT_TRUE(count.error().text.ends_with("no result could be read")) << count.error().text;
  ASSERT_EQ(warnings_.size(), 1u) << "that of the other file stays";
  EXPECT_TRUE(warnings_[0].starts_with(path("a"))) << warnings_[0];
}

TEST_F(Encode, NeverOverAnInput) {
  EncodeOptions options;
  options.inputs = {write("a", Encoding::native, 2)};
  std::filesystem::create_symlink(path("a"), path("b"));
  options.output = path("b");
  options.force = true;
  const std::string before = contents("a");
  const auto count = run(options);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind, ErrorKind::usage);
  EXPECT_EQ(contents("a"), before);
}

TEST_F(Encode, OverResultsOnlyWhenForced) {
  for (const Encoding there : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv})
    for (const Encoding to : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv}) {
      EncodeOptions options;
      options.inputs = {write("a", Encoding::json, 2)};
      options.to = to;
      options.output = write("b", there, 3);
      const std::string before = contents("b");
      const auto count = run(options);
      ASSERT_FALSE(count);
      EXPECT_EQ(count.error().text,
                "-output=" + path("b") + " holds results (" + std::string(name_of(there)) + "): name another file, or add -force");
      EXPECT_EQ(contents("b"), before);
      options.force = true;
      EXPECT_TRUE(run(options));
      EXPECT_NE(contents("b"), before);
    }
}

TEST_F(Encode, NothingIsCreatedWhenAnInputIsWrong) {
  EncodeOptions options;
  options.inputs = {path("missing")};
  options.output = path("out");
  const auto count = run(options);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind, ErrorKind::failure);
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(Encode, ACsvHeaderIsForCsv) {
  EncodeOptions options;
  options.inputs = {write("a", Encoding::native, 2, 10)};
  options.to = Encoding::json;
  options.csv_header = true;
  options.output = path("out");
  const auto count = run(options);
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace thrum::mode
