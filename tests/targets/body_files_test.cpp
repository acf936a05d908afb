#include "targets/body_files.hpp"

#include "base/mapped_file.hpp"
#include "lists.hpp"
#include "thrum/targets.hpp"

namespace thrum::targets {
namespace {

// The current folder is the process's: it is put back.
class BodyFilesTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::current_path(before_); }
  Folder here_, there_;

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(BodyFilesTest, AreReadOnceForAllTargets) {
  const std::string bytes("\0\xff\n\r@1", 6);
  there_.write("b.bin", bytes);
  const std::string list = there_.write("t.txt", "POST http://a/1\n@b.bin\nPOST http://a/2\n@b.bin\n\nGET http://a/3\n");
  const auto targets = read_targets(list);
  ASSERT_TRUE(targets) << targets.error().text;
  ASSERT_EQ(targets->size(), 3u);
  EXPECT_EQ(*(*targets)[0].body, bytes);
  EXPECT_EQ((*targets)[0].body, (*targets)[1].body);
  EXPECT_EQ((*targets)[2].body, nullptr);
}

TEST_F(BodyFilesTest, ComeFromTheCurrentFolderFirstThenFromTheLists) {
  std::filesystem::current_path(here_.path(""));
  here_.write("both", "here");
  there_.write("both", "there");
  there_.write("one", "there");
  const std::string list =
      there_.write("t.txt", "POST http://a/\n@both\nPOST http://a/\n@one\nPOST http://a/\n@" + there_.path("both") + "\n");
  const auto targets = read_targets(list);
  ASSERT_TRUE(targets) << targets.error().text;
  EXPECT_EQ(*(*targets)[0].body, "here");
  EXPECT_EQ(*(*targets)[1].body, "there");
  EXPECT_EQ(*(*targets)[2].body, "there");
}

TEST_F(BodyFilesTest, AreAllCheckedBeforeAnyTargetIsGiven) {
  std::filesystem::current_path(here_.path(""));
  here_.write("login.json", "{}");
  here_.write("t.txt", "POST http://a/\n@login.json\n\nPOST http://a/\n@login.josn\n");
  const auto missing = read_targets("t.txt");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text, "t.txt:5: body file \"login.josn\": no such file; did you mean \"login.json\"?");
  EXPECT_EQ(missing.error().kind, ErrorKind::failure);
  here_.write("t.txt", "POST http://a/\n@.\n");
  EXPECT_EQ(read_targets("t.txt").error().text, "t.txt:2: body file \".\": is a directory");
}

TEST_F(BodyFilesTest, AreForgottenWhenTheyBecomeTooMany) {
  BodyFiles files(here_.path(""), 1000);
  here_.write("a", std::string(400, 'a'));
  here_.write("b", std::string(400, 'b'));
  here_.write("big", std::string(2000, 'c'));
  const auto first = files.get("a");
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, *files.get("a"));
  EXPECT_EQ(files.get("b")->size(), 400u);
  EXPECT_NE(*first, *files.get("a"));
  EXPECT_EQ(files.get("big")->size(), 2000u);  // too large to be kept at all
}

// A large file is mapped. What is cut off it is missed by who copies it, and touched by nobody.
TEST_F(BodyFilesTest, LargeOnesAreMapped) {
  std::string bytes(MappedFile::kWorthMapping + 10'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  const std::string path = here_.write("large", bytes);
  const auto body = read_body_file(path);
  ASSERT_TRUE(body) << body.error().text;
  EXPECT_EQ(**body, bytes);
  EXPECT_TRUE(is_mapped(**body));
  std::string copy(bytes.size() - 5, '\0');
  EXPECT_TRUE(copy_bytes((**body).substr(5), copy.data()));
  EXPECT_EQ(copy, bytes.substr(5));
  std::filesystem::resize_file(path, 4096 * 3);
  EXPECT_FALSE(copy_bytes(**body, copy.data()));
  EXPECT_TRUE(copy_bytes((**body).substr(0, 4096), copy.data()));
}

TEST_F(BodyFilesTest, SmallOnesAreRead) {
  const std::string path = here_.write("small", std::string(MappedFile::kWorthMapping - 1, 's'));
  const auto body = read_body_file(path);
  ASSERT_TRUE(body);
  EXPECT_FALSE(is_mapped(**body));
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ((**body).back(), 's');
}

// Each holds a descriptor: after so many the rest is read.
TEST_F(BodyFilesTest, OnlySoManyAreMapped) {
  here_.write("large", std::string(MappedFile::kWorthMapping, 'l'));
  std::vector<SharedBytes> bodies;
  for (std::size_t i = 0; i <= MappedFile::kMost; ++i) bodies.push_back(*read_body_file(here_.path("large")));
  EXPECT_TRUE(is_mapped(*bodies[MappedFile::kMost - 1]));
  EXPECT_FALSE(is_mapped(*bodies.back()));
  EXPECT_EQ(*bodies.back(), *bodies.front());
  const std::string_view gone = *bodies.front();
  bodies.clear();
  EXPECT_FALSE(is_mapped(gone));
}

TEST_F(BodyFilesTest, AnEmptyFileIsABodyOfNoBytes) {
  const auto body = read_body_file(here_.write("empty", ""));
  ASSERT_TRUE(body);
  ASSERT_NE(*body, nullptr);
  EXPECT_EQ(**body, "");
}

TEST_F(BodyFilesTest, AMistypedNameBringsTheNearestBesideTheList) {
  std::filesystem::current_path(here_.path(""));
  there_.write("order.json", "{}");
  const auto missing = read_targets(there_.write("t.txt", "POST http://a/\n@order.josn\n"));
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("did you mean \"" + there_.path("order.json") + "\"?"), std::string::npos) << missing.error().text;
}

TEST_F(BodyFilesTest, AMistypedNameBringsTheNearest) {
  here_.write("body.json", "{}");
  here_.write("target.txt", "GET http://a/\n");
  std::filesystem::current_path(here_.path(""));
  EXPECT_EQ(read_body_file("body.josn").error().text, "body file \"body.josn\": no such file; did you mean \"body.json\"?");
  EXPECT_EQ(read_targets("tatget.txt").error().text, "targets file \"tatget.txt\": no such file; did you mean \"target.txt\"?");
  EXPECT_EQ(stream_targets("tatget.txt").error().text, read_targets("tatget.txt").error().text);
  EXPECT_EQ(read_targets("nothing-like-it").error().text, "targets file \"nothing-like-it\": no such file");
  EXPECT_EQ(read_targets(".").error().text, "targets file \".\": is a directory");
}

}  // namespace
}  // namespace thrum::targets
