// The form by which a run is set up: its keys, the command line that they make, and how it is drawn.
#include "ui/setup_form.hpp"

#include <gmock/gmock.h>

#include <string>

namespace thrum::ui {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::pair<int, int> kSizes[]{{60, 18}, {80, 24}, {100, 30}, {120, 46}, {200, 60}, {300, 80}};

class Form : public testing::Test {
 protected:
  SetupCommand press(Key::Kind kind) { return form.press({kind}); }
  SetupCommand control(char32_t c) { return form.press({Key::Kind::control, c}); }
  SetupCommand paste(std::string text) { return form.press({Key::Kind::paste, 0, std::move(text)}); }
  void type(std::string_view text) {
    for (const char c : text) form.press({Key::Kind::text, static_cast<char32_t>(c)});
  }
  void down(int count) {
    for (int i = 0; i < count; ++i) press(Key::Kind::down);
  }
  std::string text(int width = 120, int height = 46) {
    Grid grid(width, height);
    form.draw(grid);
    std::string out;
    for (int y = 0; y < height; ++y) out += grid.line(y) + '\n';
    return out;
  }
  SetupForm form{{}, {}};
};

TEST_F(Form, AtEverySize) {
  type("http://127.0.0.1:18080/");
  for (const auto& [width, height] : kSizes) {
    const std::string at = std::to_string(width) + "x" + std::to_string(height);
    EXPECT_THAT(text(width, height), AllOf(HasSubstr("set up a run"), HasSubstr("▸ URL"), HasSubstr("thrum http://127.0.0.1:18080/"),
                                           HasSubstr("enter start"), HasSubstr("F1 keys"), HasSubstr("esc quit")))
        << at;
  }
  EXPECT_THAT(text(59, 18), HasSubstr("is too small: 60×18 needed"));
  EXPECT_THAT(text(1, 1), Not(HasSubstr("URL")));
}

// Where not all has room the field at hand is there, whichever it is.
TEST_F(Form, FollowsTheFieldAtHand) {
  for (const char* label : {"▸ URL", "▸ method", "▸ header", "▸ body", "▸ user agent", "▸ run by", "▸ requests", "▸ at once", "▸ rate",
                            "▸ warm-up", "▸ threads", "▸ timeout", "▸ redirects", "▸ keep-alive", "▸ verify TLS", "▸ proxy", "▸ URL"}) {
    EXPECT_THAT(text(60, 18), HasSubstr(label));
    EXPECT_THAT(text(120, 46), HasSubstr(label));
    down(1);
  }
  press(Key::Kind::up), press(Key::Kind::up);
  EXPECT_THAT(text(60, 18), HasSubstr("▸ proxy"));
}

TEST_F(Form, SaysWhatHoldsWhereNothingIsTyped) {
  EXPECT_THAT(text(),
              AllOf(HasSubstr("a URL; or paste a curl command"), HasSubstr("100"), HasSubstr("20s"), HasSubstr("as many as cores")));
  EXPECT_THAT(form.words(), ElementsAre());
  EXPECT_EQ(form.command_line(), "thrum run");
  EXPECT_TRUE(form.is_untouched());
}

TEST_F(Form, MakesACommandLine) {
  type("http://shop.test/a?b=1&c=2");
  down(1);
  press(Key::Kind::right);  // POST
  down(1);
  type("Accept: text/html");
  down(1);
  type("X-It: it's");
  down(2);
  type("a b");
  down(2);                  // past the user agent
  press(Key::Kind::right);  // by time
  down(1);
  type("1m");
  down(1);
  type("8x");  // digits only
  down(1);
  type("50/s");
  down(4);
  type(" ");  // no redirects
  EXPECT_THAT(form.words(), ElementsAre("-m", "POST", "-H", "Accept: text/html", "-H", "X-It: it's", "-d", "a b", "-z", "1m", "-c", "8",
                                        "-rate", "50/s", "-redirects=-1", "http://shop.test/a?b=1&c=2"));
  EXPECT_EQ(form.command_line(),
            "thrum -m POST -H 'Accept: text/html' -H 'X-It: it'\\''s' -d 'a b' -z 1m -c 8 -rate 50/s -redirects=-1 "
            "'http://shop.test/a?b=1&c=2'");
}

TEST_F(Form, LeavesDefaultsOut) {
  type("http://a.test/");
  down(5);
  type("100");  // on "run by": nothing to type into
  down(1);
  type("100");
  EXPECT_THAT(form.words(), ElementsAre("http://a.test/"));
  press(Key::Kind::up);
  type(" ");
  EXPECT_THAT(form.words(), ElementsAre("-z", "30s", "http://a.test/"));
}

TEST_F(Form, EditsText) {
  type("hxtp");
  press(Key::Kind::home), press(Key::Kind::right), press(Key::Kind::del);
  type("t");
  press(Key::Kind::end);
  form.press({Key::Kind::text, U'µ'});
  press(Key::Kind::backspace);
  form.press({Key::Kind::text, U'é'});
  press(Key::Kind::left);
  type("s");
  EXPECT_THAT(form.words(), ElementsAre("httpsé"));
  control(U'u');
  EXPECT_THAT(form.words(), ElementsAre());
}

TEST_F(Form, AMethodIsChosenOrTyped) {
  type("http://a.test/");
  down(1);
  press(Key::Kind::left);
  EXPECT_THAT(form.words(), ElementsAre("-m", "OPTIONS", "http://a.test/"));
  type("purge");
  EXPECT_THAT(form.words(), ElementsAre("-m", "PURGE", "http://a.test/"));
}

TEST_F(Form, HeadersComeAndGo) {
  down(2);
  type("A: 1");
  down(1);
  type("B: 2");
  press(Key::Kind::up);
  control(U'u');
  EXPECT_THAT(form.words(), ElementsAre("-H", "B: 2"));
  down(1);  // the emptied one goes
  EXPECT_THAT(text(), HasSubstr("▸ header      B: 2"));
  down(1);
  EXPECT_THAT(text(), HasSubstr("▸ +"));
}

TEST_F(Form, FilledFromFlagsAndSettings) {
  form = SetupForm({{"concurrency", "50"}, {"header", "A: 1"}, {"keepalive", "false"}, {"duration", "1m"}},
                   {{"url", "http://a.test/"}, {"method", "PUT"}, {"fail-if", "p99>1s"}, {"redirects", "3"}});
  form.say_source("settings from thrum.toml");
  EXPECT_THAT(text(), AllOf(HasSubstr("settings from thrum.toml"), HasSubstr("50  (set already)"), HasSubstr("1m  (set already)"),
                            HasSubstr("A: 1")));
  EXPECT_THAT(form.words(), ElementsAre("-m", "PUT", "-fail-if=p99>1s", "-redirects=3", "http://a.test/"));
  EXPECT_EQ(form.command_line(), "thrum -m PUT '-fail-if=p99>1s' -redirects=3 http://a.test/");
  EXPECT_FALSE(form.is_untouched());
  // What a file says is taken back by saying the contrary.
  down(6);
  type(" ");
  EXPECT_THAT(form.words(), ElementsAre("-m", "PUT", "-n", "100", "-fail-if=p99>1s", "-redirects=3", "http://a.test/"));
  down(7);
  type(" ");
  EXPECT_THAT(form.words(), AllOf(Contains("-redirects=-1"), Not(Contains("-redirects=3"))));
  down(1);
  type(" ");
  EXPECT_THAT(form.words(), Contains("-keepalive=true"));
}

TEST_F(Form, ErrorsStandBesideTheirField) {
  type("http://a.test/");
  form.complain("-rate: \"fast\" is no rate; write it like 100/s");
  EXPECT_THAT(text(), AllOf(HasSubstr("▸ rate"), HasSubstr("✖ \"fast\" is no rate; write it like 100/s")));
  EXPECT_THAT(text(60, 18), AllOf(HasSubstr("▸ rate"), HasSubstr("✖ \"fast\" is no rate; write it like 100/s")));
  type("1");
  EXPECT_THAT(text(), Not(HasSubstr("✖")));
  form.complain("-c=8 requests at once are more than -n=4 in all; lower -c, or raise -n");
  EXPECT_THAT(text(), AllOf(HasSubstr("▸ at once"), HasSubstr("✖ -c=8 requests at once")));
  form.complain("-max-requests: something");
  EXPECT_THAT(text(), HasSubstr("\n -max-requests: something"));
  form.complain("http://a.test/: no port 0");
  EXPECT_THAT(text(), HasSubstr("▸ URL"));
}

TEST_F(Form, ACurlCommandIsForOthers) {
  for (const char* command : {"curl http://a.test/", " $ curl -H 'A: 1' \\\n  http://a.test/\n", "curl.exe \"http://a.test/\""})
    EXPECT_EQ(paste(command), SetupCommand::read_curl) << command;
  for (const char* other : {"curling", "http://curl.test/", "curl"}) EXPECT_EQ(paste(other), SetupCommand::none) << other;
  form = SetupForm({}, {{"fail-if", "errors>0"}, {"concurrency", "4"}, {"url", "http://old.test/"}, {"header", "Old: 1"}});
  form.fill(
      {{"url", "http://a.test/"}, {"method", "POST"}, {"header", "A: 1"}, {"data", "{}"}, {"redirects", "-1"}, {"compression", "false"}});
  EXPECT_THAT(form.words(), ElementsAre("-m", "POST", "-H", "A: 1", "-d", "{}", "-c", "4", "-redirects=-1", "-fail-if=errors>0",
                                        "-compression=false", "http://a.test/"));
  // Another one takes the first one's place.
  form.fill({{"url", "http://b.test/"}});
  EXPECT_THAT(form.words(), ElementsAre("-c", "4", "-fail-if=errors>0", "http://b.test/"));
}

TEST_F(Form, OtherPastesGoIntoTheFieldOnOneLine) {
  paste("  http://a.test/\x1b[31m\r\n");
  EXPECT_THAT(form.words(), ElementsAre("http://a.test/ [31m"));
  down(6);
  paste("12 345");
  EXPECT_THAT(form.words(), ElementsAre("-n", "12345", "http://a.test/ [31m"));
}

TEST_F(Form, KeysAskWhatTheirTableSays) {
  EXPECT_EQ(press(Key::Kind::enter), SetupCommand::start);
  EXPECT_EQ(press(Key::Kind::escape), SetupCommand::leave);
  EXPECT_EQ(press(Key::Kind::interrupt), SetupCommand::leave);
  EXPECT_EQ(control(U't'), SetupCommand::test);
  EXPECT_EQ(control(U's'), SetupCommand::save);
  EXPECT_EQ(control(U'z'), SetupCommand::none);
  for (const auto& [width, height] : kSizes) {
    press(Key::Kind::help);
    EXPECT_THAT(text(width, height), AllOf(HasSubstr("Ctrl-T"), HasSubstr("leaves; the command line stays")));
    EXPECT_EQ(press(Key::Kind::escape), SetupCommand::none);
    EXPECT_THAT(text(width, height), Not(HasSubstr("Ctrl-T")));
  }
}

TEST_F(Form, AnAnswerIsScrolledAndLetGoOf) {
  form.begin_test();
  EXPECT_THAT(text(), HasSubstr("waiting for the answer"));
  EXPECT_EQ(press(Key::Kind::enter), SetupCommand::none);
  EXPECT_EQ(press(Key::Kind::escape), SetupCommand::cancel_test);
  form.begin_test();
  std::vector<PanelLine> lines;
  for (int i = 0; i < 100; ++i) lines.emplace_back("line " + std::to_string(i));
  lines.emplace_back(std::string(1 << 20, 'x') + "\x1b[31m\xff");
  form.end_test("200 after 1ms", std::move(lines));
  EXPECT_THAT(text(60, 18), AllOf(HasSubstr("200 after 1ms"), HasSubstr("│ line 0 "), HasSubstr("esc back")));
  press(Key::Kind::page_down);
  EXPECT_THAT(text(60, 18), HasSubstr("│ line 12 "));
  press(Key::Kind::end);
  EXPECT_THAT(text(60, 18), HasSubstr("xx"));
  EXPECT_EQ(press(Key::Kind::escape), SetupCommand::none);
  EXPECT_THAT(text(60, 18), Not(HasSubstr("xx")));
}

TEST(ShellWord, IsQuotedWhereItHasToBe) {
  for (const auto& [word, shown] : {std::pair{"http://a.test/x", "http://a.test/x"},
                                    {"", "''"},
                                    {"a b", "'a b'"},
                                    {"it's", "'it'\\''s'"},
                                    {"a&b", "'a&b'"},
                                    {"$x", "'$x'"},
                                    {"a\nb", "'a\nb'"}})
    EXPECT_EQ(shell_word(word), shown);
}

}  // namespace
}  // namespace thrum::ui
