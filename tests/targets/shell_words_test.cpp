#include "targets/shell_words.hpp"

#include <gmock/gmock.h>

namespace thrum::targets {
namespace {

using testing::HasSubstr;

struct Line {
  std::string_view text, words;  // the words, each between < and >
};

std::string outcome(std::string_view text, Shell shell) {
  const auto split = split_words(text, shell);
  if (!split) return "error: " + split.error().text;
  std::string out;
  for (const std::string& word : split->words) out += "<" + word + ">";
  if (!split->behind.empty()) out += " behind " + std::string(split->behind);
  if (!split->left_as_is.empty()) out += " as is " + split->left_as_is;
  return out;
}

TEST(ShellWords, AreThoseOfBash) {
  constexpr Line kLines[] = {
      {"", ""},
      {"  \n\t ", ""},
      {"curl  a\tb", "<curl><a><b>"},
      {"\n\ncurl a\nls", "<curl><a> behind ls"},
      {"'a b' \"c d\" e\\ f", "<a b><c d><e f>"},
      {"a'b'\"c\"d", "<abcd>"},
      {"'' \"\"", "<><>"},
      {"'it'\\''s'", "<it's>"},
      {R"("a\"b\\c\$d\`e\n")", R"(<a"b\c$d`e\n>)"},
      {"\"a\\\nb\" c\\\nd", "<ab><cd>"},
      {"\"a\\\r\nb\" c \\\r\n d", "<ab><c><d>"},
      {"'a\\nb'", "<a\\nb>"},
      {R"($'a\nb\t\'c\'')", "<a\nb\t'c'>"},
      {R"($'\x41\101\u00e9\U0001F600\cA\q')", "<AA\u00e9\U0001F600\x01\\q>"},
      {R"($'\ud83d\ude00\ud83d')", "<\U0001F600\xed\xa0\xbd>"},
      {"$'a'$\"b\"", "<ab>"},
      {"a # b", "<a>"},
      {"a#b", "<a#b>"},
      {"a | b", "<a> behind | b"},
      {"a 2>/dev/null", "<a> behind >/dev/null"},
      {"a&b", "<a> behind &b"},
      {"'a|b' \"c;d\" e\\&f", "<a|b><c;d><e&f>"},
      {"\"x $TOKEN_1!\"", "<x $TOKEN_1!> as is $TOKEN_1"},
      {"'$A' \"\\$B\" ${C}", "<$A><$B><${C}> as is ${C}"},
      {"$ 5$", "<$><5$>"},
      {"a \\", "<a>"},
      {"'a", "error: the curl command has a ' that is not closed: 'a"},
      {"x\n", "<x>"},
      {"x \\\n\"a\nb", "error: the curl command has a \" that is not closed: \"a\\nb in its line 2"},
      {"$'a\\'", "error: the curl command has a $' that is not closed: $'a\\'"},
  };
  for (const Line& each : kLines) EXPECT_EQ(outcome(each.text, Shell::posix), each.words) << each.text;
  EXPECT_EQ(outcome("\"$(cat x)\"", Shell::posix), "<$(cat x)> as is $(cat x)");
}

TEST(ShellWords, AreThoseOfCmd) {
  constexpr Line kLines[] = {
      {"curl \"a b\" c", "<curl><a b><c>"},
      {"curl ^\"a b^\" ^\n  -H ^\"x: y^\"\r\nls", "<curl><a b><-H><x: y> behind ls"},
      {"curl ^\r\n  a", "<curl><a>"},
      {R"(^"^{^\^"a^\^":1^}^")", R"(<{"a":1}>)"},
      {R"("{""a"":1}")", R"(<{"a":1}>)"},
      {R"("{\"a\":1}")", R"(<{"a":1}>)"},
      {R"("a\b\\" "c\\\"d")", R"(<a\b\><c\"d>)"},
      {R"(C:\files\x.txt)", R"(<C:\files\x.txt>)"},
      {"^\"a^\n\nb^\"", "<a\nb>"},
      {"^\"a^\r\n\r\nb^\"", "<a\nb>"},
      {"\"a\"^\n\n\"b\"", "<a\nb>"},
      {"\"a^b\" a^^b ^%^41", "<a^b><a^b><%41>"},
      {"a ^& b & c", "<a><&><b> behind & c"},
      {"\"a | b\" | more", "<a | b> behind | more"},
      {"'a b'", "<'a><b'>"},
      {"\"\"", "<>"},
      {"\"a", "error: the curl command has a \" that is not closed: \"a"},
      {"a ^", "<a>"},
  };
  for (const Line& each : kLines) EXPECT_EQ(outcome(each.text, Shell::cmd), each.words) << each.text;
}

TEST(ShellWords, TellWhichShellTheyAreFor) {
  for (const std::string_view text : {"curl 'http://a/' \\\n -H 'x: ^\"'", "curl http://a/ -d $'a^\"'", "curl \"http://a/^\"", "curl a", "",
                                      "curl \"a\\\"^\n\" -d b", "curl 'a' ^\n"})
    EXPECT_EQ(guess_shell(text), Shell::posix) << text;
  for (const std::string_view text :
       {"curl ^\"http://a/^\" ^\n  -H ^\"a: 'b'^\"", "curl \"http://a/\" ^\r\n  -H \"a: b\"", "curl -d ^\"a^\""})
    EXPECT_EQ(guess_shell(text), Shell::cmd) << text;
}

TEST(ShellWords, ErrorsAreOneLineForATerminal) {
  const auto split = split_words("curl '\x1b[2J\n", Shell::posix);
  ASSERT_FALSE(split);
  EXPECT_THAT(split.error().text, testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(split.error().text, testing::Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace thrum::targets
