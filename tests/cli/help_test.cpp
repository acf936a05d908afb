// What is made from the flag table: help, man pages, completions, and the tables that stand in the manual.
#include "cli/help.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/completion.hpp"

namespace thrum::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<Command> all_commands() {
  std::vector<Command> out{Command::none};
  for (const CommandInfo& c : command_table()) out.push_back(c.command);
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

TEST(Help, ListsEveryFlagThatWorksAndNoOther) {
  for (const Command command : all_commands()) {
    const std::string help = help_text(command);
    for (const Flag& flag : flag_table()) {
      const std::string entry = "\n  -" + std::string(flag.name);
      const bool listed = help.find(entry + "\n") != std::string::npos || help.find(entry + " ") != std::string::npos ||
                          help.find(entry + ",") != std::string::npos;
      if (!flag.commands.has(command)) continue;
      EXPECT_TRUE(listed) << info(command).name << " -" << flag.name;
    }
  }
}

TEST(Help, TeachesWithinATerminal) {
  for (const Command command : all_commands()) {
    const std::string help = help_text(command);
    EXPECT_THAT(help, HasSubstr("\nUsage: thrum "));
    const std::size_t examples = help.find("\nExamples\n");
    ASSERT_NE(examples, std::string::npos);
    EXPECT_GE(lines_of(help.substr(examples + 1)).size(), 3u) << info(command).name;
    for (const std::string& line : lines_of(help.substr(0, examples))) EXPECT_LE(line.size(), 80u) << line;
  }
}

TEST(ManPage, HoldsEveryFlagAndNoStrayRequest) {
  for (const Command command : all_commands()) {
    const std::string page = man_page(command);
    EXPECT_THAT(page, StartsWith(".TH thrum"));
    for (const Flag& flag : flag_table()) {
      if (!flag.commands.has(command)) continue;
      std::string name;
      for (const char c : flag.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_THAT(page, HasSubstr("\n.B \\-" + name));
    }
    for (const std::string& line : lines_of(page)) {
      EXPECT_FALSE(line.empty()) << "an empty line is a request too";
      if (line[0] != '.') continue;
      EXPECT_THAT(line, testing::MatchesRegex("\\.(TH|SH|SS|TP|B|nf|fi).*"));
    }
  }
}

TEST(Completion, KnowsThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell);
    ASSERT_TRUE(script) << shell;
    EXPECT_THAT(*script, HasSubstr("max-workers"));
  }
  EXPECT_FALSE(completion_script("tcsh"));
}

// The text between <!-- flags:COMMAND --> and <!-- end --> of each page is what the table gives; scripts/docs writes it.
TEST(Manual, FlagTablesAreUpToDate) {
  int tables = 0;
  for (const auto& page : std::filesystem::directory_iterator(THRUM_TEST_DATA "/../../docs")) {
    if (page.path().extension() != ".md") continue;
    std::ifstream file(page.path());
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("<!-- flags:")) continue;
      const std::string name = line.substr(11, line.find(' ', 11) - 11);
      const CommandInfo* command = nullptr;
      for (const CommandInfo& c : command_table())
        if (c.name == name) command = &c;
      ASSERT_NE(command, nullptr) << page.path() << ": " << line;
      std::string table;
      while (std::getline(file, line) && line != "<!-- end -->") table += line + '\n';
      EXPECT_TRUE(table == manual_table(command->command)) << page.path() << " is stale: run scripts/docs";
      ++tables;
    }
  }
  EXPECT_GE(tables, 1);
}

}  // namespace
}  // namespace thrum::cli
