#include "settings/file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "names.hpp"
#include "settings/write.hpp"

namespace thrum::settings {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

std::string outcome(std::string_view text, std::string_view command = "attack", std::string_view run = "") {
  const auto file = parse_file(text, "thrum.toml", kRules);
  if (!file) return "error: " + file.error().text;
  const auto settings = settings_of(*file, command, run, kNames);
  return settings ? text_of(*settings) : "error: " + settings.error().text;
}

struct Row {
  std::string_view text, outcome;
};

TEST(SettingsFile, IsKeysAndValues) {
  constexpr Row kRows[] = {
      {"", ""},
      {"rate = \"100/s\"\nduration = \"1m\"", "rate=100/s duration=1m"},
      {"rate = 100\nmax-requests = 1_000", "rate=100 max-requests=1000"},
      {"rate = 0.5", "rate=0.5"},
      {"insecure = true", "insecure=true"},
      {"insecure = \"false\"", "insecure=false"},
      {"k = true\nz = \"5s\"", "insecure=true duration=5s"},
      {"header = [\"A: 1\", \"B: 2\"]", "header=A: 1 header=B: 2"},
      {"header = \"A: 1\"", "header=A: 1"},
      {"header = []", ""},
      {"number = 5\nrate = 1", "rate=1"},
      // What is for the command wins over what is for all; guards of both stay.
      {"rate = 1\nmax-requests = 5\n[attack]\nrate = 2\nmax-requests = 9\n[capacity]\nrate = 3", "max-requests=5 rate=2 max-requests=9"},
      {"header = [\"A: 1\", \"B: 2\"]\n[attack]\nheader = [\"C: 3\"]", "header=C: 3"},
      // Mistakes.
      {"rat = 5", "error: thrum.toml:1: unknown key rat; did you mean rate?"},
      {"rate = 5\n\n  [attack]\n  durration = \"5s\"", "error: thrum.toml:4: unknown key durration; did you mean duration?"},
      {"frobnicate = 1", "error: thrum.toml:1: unknown key frobnicate; keys are the names of flags, as in rate = \"100/s\""},
      {"rate = [1, 2]", "error: thrum.toml:1: rate takes one value, not a list"},
      {"rate = 2020-01-01", "error: thrum.toml:1: rate takes a text, a number, true or false"},
      {"header = [[1]]", "error: thrum.toml:1: header takes a text, a number, true or false"},
      {"insecure = 1", "error: thrum.toml:1: insecure takes true or false"},
      {"duration = \"1s\"\nz = \"2s\"", "error: thrum.toml:2: z is another name of duration, which is there already"},
      {"[atack]\nrate = 1", "error: thrum.toml:1: [atack] is none of the tables [attack], [capacity] and [run.NAME]"},
      {"[run.a]\nrat = 1", "error: thrum.toml:2: unknown key rat; did you mean rate?"},
  };
  for (const Row& row : kRows) EXPECT_EQ(outcome(row.text), row.outcome) << row.text;
}

TEST(SettingsFile, TellsWhereItIsNoToml) {
  EXPECT_THAT(outcome("rate = 1\nduration = "), testing::StartsWith("error: thrum.toml:2: "));
  EXPECT_THAT(outcome("rate = 1\nrate = 2"), testing::StartsWith("error: thrum.toml:2: "));
  EXPECT_THAT(outcome("\x1b[2J = 1"), testing::Not(HasSubstr("\x1b")));
}

TEST(SettingsFile, HasRunsByName) {
  constexpr std::string_view kText =
      "rate = 1\nheader = \"A: 1\"\n[run.smoke]\nduration = \"1s\"\n[run.\"all night\"]\nrate = 2\nmax-requests = 7";
  EXPECT_EQ(outcome(kText, "run"), "rate=1 header=A: 1");
  EXPECT_EQ(outcome(kText, "run", "smoke"), "rate=1 header=A: 1 duration=1s");
  EXPECT_EQ(outcome(kText, "run", "all night"), "header=A: 1 rate=2 max-requests=7");
  EXPECT_EQ(outcome(kText, "run", "smoek"), "error: thrum.toml has no [run.smoek]; did you mean smoke?");
  EXPECT_EQ(outcome(kText, "run", "x"), "error: thrum.toml has no [run.x]; its runs are smoke, all night");
  EXPECT_EQ(outcome("[run]\nrate = 1\n[run.a]\nduration = \"1s\"", "run", "a"), "rate=1 duration=1s");
  EXPECT_EQ(outcome("[run]\nrate = 1\n[run.a]\nduration = \"1s\"", "attack"), "");
  EXPECT_EQ(outcome("rate = 1", "run", "x"), "error: thrum.toml has no [run.x]; it has no runs");
  const auto file = parse_file(kText, "thrum.toml", kRules);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->runs.size(), 2U);
  EXPECT_EQ(file->runs[1].first, "all night");
  EXPECT_EQ(file->of_run("smoke")->front().where, "thrum.toml:4");
}

class Folder : public testing::Test {
 protected:
  Folder() : path_(fs::temp_directory_path() / ("thrum-settings-" + std::to_string(::getpid()))) { fs::create_directories(path_); }
  ~Folder() override { fs::remove_all(path_); }
  std::string at(std::string_view name) const { return (path_ / name).string(); }
  fs::path path_;
};

using SettingsFiles = Folder;

TEST_F(SettingsFiles, AreReadByName) {
  std::ofstream(at("thrum.toml")) << "rate = 5\n";
  const auto file = read_file(at("thrum.toml"), kRules);
  ASSERT_TRUE(file) << file.error().text;
  EXPECT_EQ(text_of(file->common), "rate=5");
  EXPECT_THAT(read_file(at("thrum.tmol"), kRules).error().text, HasSubstr("no such file; did you mean"));
  EXPECT_THAT(read_file(path_.string(), kRules).error().text, HasSubstr("is a directory"));
}

TEST_F(SettingsFiles, AreWrittenAsTheyAreRead) {
  const std::vector<Setting> settings = {{"rate", "10..500/s over 1m", ""},
                                         {"duration", "007", ""},
                                         {"insecure", "true", ""},
                                         {"header", "A: \"q\\\" \t\x01 \xc3\xa4", ""},
                                         {"header", "B:", ""},
                                         {"max-requests", "100", ""}};
  const std::string text = file_text(settings, kNames, "thrum attack -config=x.toml");
  EXPECT_THAT(text, testing::StartsWith("# Settings of thrum"));
  EXPECT_THAT(text, HasSubstr("\nrate = \"10..500/s over 1m\"\nduration = \"007\"\ninsecure = true\n"));
  EXPECT_THAT(text, HasSubstr("\nmax-requests = 100\n"));
  EXPECT_EQ(outcome(text), text_of(settings));

  ASSERT_TRUE(write_new_file(at("x.toml"), text, true));
  struct stat status{};
  ASSERT_EQ(::stat(at("x.toml").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(text_of(read_file(at("x.toml"), kRules)->common), text_of(settings));
  const auto again = write_new_file(at("x.toml"), "", false);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text, HasSubstr("is there already and is left alone; name another file"));
  EXPECT_THAT(write_new_file(at("no/folder"), "", false).error().text, HasSubstr("no such file or directory"));
}

TEST(SettingsFile, TablesAreWhatFollowsTheTop) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"", ""},
      {"rate = 5\n", ""},
      {"rate = 5\n[attack]\nrate = 6\n", "[attack]\nrate = 6\n"},
      {"# top\nrate = 5\n\n# of attack\n# and more\n  [attack]\nx = 1", "# of attack\n# and more\n  [attack]\nx = 1"},
      {"# all\n\n[run.a]", "[run.a]"},
      {"[run.a]", "[run.a]"},
  };
  for (const auto& [text, tables] : kRows) EXPECT_EQ(tables_of(text), tables) << text;
}

TEST(SettingsFile, IsReplacedAsAWhole) {
  const fs::path dir = fs::temp_directory_path() / ("thrum-replace-" + std::to_string(::getpid()));
  fs::create_directory(dir);
  const std::string path = dir / "thrum.toml", link = dir / "link.toml";
  ASSERT_TRUE(replace_file(path, "one", false));
  EXPECT_EQ(*read_text(path), "one");
  EXPECT_FALSE(fs::exists(path + "~"));
  fs::create_symlink(path, link);
  ASSERT_TRUE(replace_file(link, "two", true));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*read_text(path), "two");
  EXPECT_EQ(*read_text(path + "~"), "one");
  EXPECT_EQ(fs::status(path).permissions() & fs::perms(0077), fs::perms::none);
  ASSERT_TRUE(replace_file(path, "three", false));
  EXPECT_EQ(*read_text(path + "~"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir), {}), 3);
  const auto failed = replace_file(dir / "none" / "thrum.toml", "x", false);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().text, HasSubstr("no such file"));
  fs::remove_all(dir);
}

}  // namespace
}  // namespace thrum::settings
