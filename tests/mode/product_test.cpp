#include "mode/product.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results_files.hpp"

namespace thrum::mode {
namespace {

using testing::HasSubstr;

TEST(Product, ANewFileAndOneOfTextAreFine) {
  const Folder folder;
  Product fresh(folder.file("new.txt"), {}, false);
  EXPECT_TRUE(fresh.check());
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.txt"))) << "nothing is made before there is something to write";
  EXPECT_TRUE(fresh.write("one\n"));
  EXPECT_TRUE(fresh.write("two\n"));
  EXPECT_EQ(Folder::get(folder.file("new.txt")), "one\ntwo\n");
  Product again(folder.file("new.txt"), {}, false);
  EXPECT_TRUE(again.write("three\n"));
  EXPECT_EQ(Folder::get(folder.file("new.txt")), "three\n");
}

TEST(Product, ResultsAreNotOverwrittenUnlessForced) {
  const Folder folder;
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv}) {
    const std::string bytes = encoded(e, 20), path = folder.put("results", bytes);
    Product careful(path, {}, false);
    EXPECT_FALSE(careful.check());
    const auto refused = careful.write("report\n");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_THAT(refused.error().text, HasSubstr("holds results"));
    EXPECT_EQ(Folder::get(path), bytes);
    Product forced(path, {}, true);
    EXPECT_TRUE(forced.write("report\n"));
    EXPECT_EQ(Folder::get(path), "report\n");
  }
}

TEST(Product, AFileThatHasBecomeOneOfResultsMeanwhileIsKept) {
  const Folder folder;
  Product product(folder.file("late.bin"), {"stdin"}, false);
  EXPECT_TRUE(product.check());
  const std::string bytes = encoded(Encoding::native, 20);
  folder.put("late.bin", bytes);
  EXPECT_FALSE(product.write("report\n"));
  EXPECT_EQ(Folder::get(folder.file("late.bin")), bytes);
}

TEST(Product, AnInputIsNeverOverwritten) {
  const Folder folder;
  const std::string input = folder.put("in.bin", encoded(Encoding::native, 5));
  std::filesystem::create_symlink(input, folder.file("link.bin"));
  for (const std::string& name : {input, folder.file("link.bin")}) {
    const auto refused = Product(name, {folder.file("other"), input}, true).check();
    ASSERT_FALSE(refused) << name;
    EXPECT_THAT(refused.error().text, HasSubstr("being read"));
  }
}

TEST(Product, WhereNothingCanBeWrittenIsSaidEarly) {
  const Folder folder;
  const auto no_folder = Product(folder.file("none/x"), {}, false).check();
  ASSERT_FALSE(no_folder);
  EXPECT_THAT(no_folder.error().text, HasSubstr("none/x"));
  EXPECT_FALSE(Product(folder.file(""), {}, false).check()) << "a folder";
  EXPECT_TRUE(Product("/dev/null", {}, false).write("gone\n"));
}

}  // namespace
}  // namespace thrum::mode
