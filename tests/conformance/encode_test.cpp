// Every recorded `encode` of the reference, done by the library and by the program: the same bytes out, the same success or failure. Where
// thrum differs on purpose, the case stands in kDifferences with what thrum does instead and why; docs/vegeta-differences.md has the same
// in prose.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "golden.hpp"
#include "record/encoding.hpp"
#include "record/output.hpp"
#include "record/reader.hpp"
#include "record/transcode.hpp"
#include "standard_input.hpp"

namespace thrum {
namespace {

// What thrum does where the reference does something else.
struct Difference {
  int exit;
  bool damaged;                      // one warning about the input
  std::optional<std::size_t> lines;  // of output; nothing: the output is the reference's
  std::string_view reason;
};

constexpr std::string_view kWholeUsed = "what is whole is used, with a warning; exit 1 only with -strict";
constexpr std::string_view kLastLine = "a last line without a newline is a line";
constexpr std::string_view kOlderColumns = "files of older releases and of spreadsheets are read by position or by column name";

const std::map<std::string_view, Difference> kDifferences = {
    {"a/lenient/json-only-no-newline", {0, false, 1, kLastLine}},
    {"a/lenient/json-no-final-newline", {0, false, 2, kLastLine}},
    {"a/lenient/json-blank-line-between", {0, false, 2, "a blank line does not end the input"}},
    {"a/lenient/json-blank-line-first", {0, false, 1, "a blank line does not hide the encoding"}},
    {"a/lenient/json-bom", {0, false, 1, "a byte order mark does not hide the encoding"}},
    {"a/lenient/json-second-bad", {0, true, 2, kWholeUsed}},
    {"a/lenient/csv-second-bad", {0, true, 2, kWholeUsed}},
    {"a/lenient/csv-11-fields", {0, false, 1, kOlderColumns}},
    {"a/lenient/csv-13-fields", {0, false, 1, kOlderColumns}},
    {"a/lenient/csv-9-fields-old", {0, false, 1, kOlderColumns}},
    {"a/lenient/csv-header-row", {0, false, 1, kOlderColumns}},
    {"a/multi/cat-gob", {0, false, 5, "gob streams may follow one another in a file"}},
    {"a/multi/cat-json-csv", {0, true, 2, kWholeUsed}},
    {"a/multi/cat-csv-json", {0, true, 2, kWholeUsed}},
    {"b/encode-gob-trunc-mid-second-record", {0, true, std::nullopt, kWholeUsed}},
    {"b/encode-gob-trunc-len-byte-only-second", {0, true, std::nullopt, kWholeUsed}},
    {"b/encode-gob-trunc-mid-last-record", {0, true, std::nullopt, kWholeUsed}},
    {"b/encode-gob-trunc-minus1", {0, true, std::nullopt, kWholeUsed}},
    {"b/encode-gob-tail", {0, true, std::nullopt, kWholeUsed}},
    {"b/encode-gob-newline-tail", {0, true, std::nullopt, kWholeUsed}},
    {"b/encode-csv-trunc", {0, true, std::nullopt, kWholeUsed}},
    {"b/encode-csv-trunc-mid", {0, true, std::nullopt, kWholeUsed}},
};

struct Command {
  std::string zone;
  std::string standard_input;
  std::vector<std::string> files;
  std::string to = "json";
};

// The shapes of the recorded commands: [cat|zcat FILE… |] $TOOL encode [-to X] [FILE…] [< FILE].
std::optional<Command> parse(const golden::Case& c) {
  Command command;
  std::vector<std::string> words;
  std::istringstream text(c.command);
  for (std::string word; text >> word;) words.push_back(word);
  std::size_t i = 0;
  command.zone = c.zone;
  if (words[i] == "cat" || words[i] == "zcat")
    for (++i; words[i] != "|" || (++i, false); ++i) command.standard_input += golden::contents(c.folder + "/" + words[i]);
  if (words[i++] != "$TOOL" || words[i++] != "encode") return std::nullopt;
  for (; i < words.size(); ++i) {
    if (words[i] == "-to" && i + 1 < words.size())
      command.to = words[++i];
    else if (words[i] == "<" && i + 1 < words.size())
      command.standard_input = golden::contents(c.folder + "/" + words[++i]);
    else if (words[i].starts_with("-") || words[i] == "&&")
      return std::nullopt;  // about flags: a matter of the command line
    else
      command.files.push_back(words[i] == "stdin" ? "stdin" : words[i]);
  }
  return command;
}

struct Outcome {
  int exit = 0;
  std::string out, error;
  std::size_t damaged = 0;  // inputs
};

Outcome encode(const Command& command, Encoding to) {
  Outcome outcome;
  const StandardInput standard_input(command.standard_input);
  ::setenv("TZ", command.zone.c_str(), 1);
  const int fd = ::memfd_create("stdout", 0);
  Output output(fd, "stdout");
  auto reader = open_results(command.files, {.strict = false, .order = ReaderOptions::Order::in_turn});
  if (reader) {
    const auto count = transcode(**reader, to, {}, output);
    if (!count) outcome.exit = 1, outcome.error = count.error().text;
    outcome.damaged = (*reader)->damage().size();
  } else {
    outcome.exit = 1, outcome.error = reader.error().text;
  }
  outcome.out.resize(output.written());
  EXPECT_EQ(::pread(fd, outcome.out.data(), outcome.out.size(), 0), static_cast<ssize_t>(outcome.out.size()));
  ::close(fd);
  return outcome;
}

std::size_t lines_in(std::string_view s) { return static_cast<std::size_t>(std::count(s.begin(), s.end(), '\n')); }

std::vector<nlohmann::json> values(std::string_view lines) {
  std::vector<nlohmann::json> all;
  std::istringstream text{std::string(lines)};
  for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line, nullptr, true));
  return all;
}

std::string as_json(const std::string& bytes) {
  Command command;
  command.zone = "UTC";
  command.standard_input = bytes;
  const Outcome outcome = encode(command, Encoding::json);
  EXPECT_EQ(outcome.exit, 0) << outcome.error;
  return outcome.out;
}

class EncodeConformance : public ::testing::TestWithParam<golden::Case> {};

// Against the reference's success or failure and its output, or against what stands in kDifferences.
void compare(const golden::Case& c, const Outcome& outcome, bool exact_exit) {
  if (const auto d = kDifferences.find(c.id); d != kDifferences.end()) {
    EXPECT_EQ(outcome.exit, d->second.exit) << d->second.reason;
    EXPECT_EQ(outcome.damaged, d->second.damaged ? 1u : 0u);
    if (d->second.lines) {
      EXPECT_EQ(lines_in(outcome.out), *d->second.lines);
      return;
    }
  } else if (exact_exit) {
    EXPECT_EQ(outcome.exit, c.exit);
  } else {
    EXPECT_EQ(outcome.exit != 0, c.exit != 0) << outcome.exit;
  }
  const std::string wanted = c.stdout_file.empty() ? std::string() : golden::contents(c.stdout_file);
  if (c.compare == "exact")
    EXPECT_EQ(outcome.out, wanted);
  else if (c.compare == "json-values")
    EXPECT_EQ(values(outcome.out), values(wanted));
  else if (c.compare == "decode-then-json-values")
    EXPECT_EQ(values(as_json(outcome.out)), values(as_json(wanted)));
  else
    FAIL() << "no such comparison: " << c.compare;
}

TEST_P(EncodeConformance, GivesWhatTheReferenceGave) {
  const golden::Case& c = GetParam();
  const auto command = parse(c);
  if (!command) GTEST_SKIP() << "about the command line: " << c.command;
  const auto to = encoding_named(command->to);
  ASSERT_TRUE(to) << command->to;
  std::filesystem::current_path(c.folder);
  const Outcome outcome = encode(*command, *to);
  SCOPED_TRACE(c.command + "\n" + outcome.error + "\n" + c.note);
  EXPECT_EQ(outcome.error.find('\n'), std::string::npos) << "an error is one line";
  compare(c, outcome, true);
}

#ifdef THRUM_BINARY
struct TemporaryFolder {
  TemporaryFolder() {
    if (::mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp");
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path = (std::filesystem::temp_directory_path() / "thrum-golden-XXXXXX").string();
};

// The recorded command itself, run by the shell with our program as $TOOL; in a copy of its folder if it leaves files there.
Outcome run_command(const golden::Case& c) {
  const TemporaryFolder copy;
  std::string folder = c.folder;
  const std::string err = copy.path + "/stderr";
  if (c.command.find(" && rm ") != std::string::npos) {
    const std::string links = "cp -rs '" + c.folder + "' '" + copy.path + "/copy'";
    EXPECT_EQ(std::system(links.c_str()), 0);
    folder = copy.path + "/copy";
  }
  ::setenv("TOOL", THRUM_BINARY, 1);
  ::setenv("TZ", c.zone.c_str(), 1);
  ::setenv("COMMAND", c.command.c_str(), 1);
  const std::string line = "cd '" + folder + "' && bash -c \"$COMMAND\" 2>'" + err + "' </dev/null";
  Outcome outcome;
  std::FILE* const pipe = ::popen(line.c_str(), "r");
  char buffer[65536];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) outcome.out.append(buffer, n);
  const int status = ::pclose(pipe);
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.error = golden::contents(err);
  outcome.damaged = outcome.exit == 0 ? lines_in(outcome.error) : 0;
  return outcome;
}

TEST_P(EncodeConformance, TheProgramDoesToo) {
  const golden::Case& c = GetParam();
  if (c.command.find("$TOOL attack") != std::string::npos) GTEST_SKIP() << "needs a server";
  const Outcome outcome = run_command(c);
  SCOPED_TRACE(c.command + "\n" + outcome.error + "\n" + c.note);
  if (c.command.find(" -h") != std::string::npos) {  // the help is our own
    EXPECT_EQ(outcome.exit, c.exit);
    return;
  }
  EXPECT_LE(lines_in(outcome.error), 1u) << "an error or a warning is one line";
  compare(c, outcome, false);
}
#endif

INSTANTIATE_TEST_SUITE_P(Vegeta, EncodeConformance, ::testing::ValuesIn(golden::cases_with("$TOOL encode")), [](const auto& test) {
  std::string name = test.param.id;
  std::replace_if(name.begin(), name.end(), [](char ch) { return !std::isalnum(static_cast<unsigned char>(ch)); }, '_');
  return name;
});

// A difference whose case is gone, or that is none, would hide.
TEST(EncodeConformance, EveryDifferenceNamesACase) {
  for (const auto& [id, difference] : kDifferences) {
    const auto cases = golden::cases_with("$TOOL encode");
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const golden::Case& c) { return c.id == id; })) << id;
  }
}

}  // namespace
}  // namespace thrum
