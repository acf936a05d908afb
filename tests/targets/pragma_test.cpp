// What a list says of its targets besides what to send: pragmas of the http format, keys of the json format.
#include "targets/pragma.hpp"

#include <gmock/gmock.h>

#include "lists.hpp"

namespace thrum::targets {
namespace {

std::string http(std::string_view text) { return outcome(read_text(text, TargetFormat::http)); }
std::string json(std::string_view text) { return outcome(read_text(text, TargetFormat::json)); }

TEST(Pragmas, StandBeforeTheirTarget) {
  EXPECT_EQ(http("#: name login\n#: weight 5\nGET http://a/1\nX: y\n#:  weight\t2 \nGET http://a/2\n\nGET http://a/3\n"),
            "GET http://a/1\nX: y\nname: login\nweight: 5\nGET http://a/2\nweight: 2\nGET http://a/3\n");
  EXPECT_EQ(http("GET http://a/1\n\n#: name two words\n\n# why\n\n  #: weight 1000000\r\nGET http://a/2"),
            "GET http://a/1\nGET http://a/2\nname: two words\nweight: 1000000\n");
  EXPECT_EQ(http("GET http://a/1\n@/dev/null\n#: name b\nGET http://a/2\n"), "GET http://a/1\nbody: \nGET http://a/2\nname: b\n");
}

TEST(Pragmas, AreOnlyWhatBeginsLikeOne) {
  for (const std::string_view comment : {"#weight 5", "# : weight 5", "#:", "#:weights 5", "##: weight 5", "#:-- weight 5"}) {
    EXPECT_FALSE(is_pragma(comment)) << comment;
    EXPECT_EQ(http(std::string(comment) + "\nGET http://a/\n"), "GET http://a/\n") << comment;
  }
}

struct Slip {
  std::string_view text, error;
};

TEST(Pragmas, SlipsAreToldWithTheirLine) {
  const Slip rows[] = {
      {"#: wieght 5\nGET http://a/",
       "list:1: \"wieght\" is no pragma; did you mean \"weight\"? (a comment must not begin with \"#:\" and a blank)"},
      {"GET http://a/\n#: and so on\n",
       "list:2: \"and\" is no pragma; there are name, weight, expect (a comment must not begin with \"#:\" and a blank)"},
      {"#: \x1b[2J\nGET http://a/",
       "list:1: \"\\x1b[2J\" is no pragma; there are name, weight, expect (a comment must not begin with \"#:\" and a blank)"},
      {"#:weight 5\nGET http://a/", "list:1: a pragma has a blank after \"#:\": write \"#: weight 5\""},
      {"\n#: weight\nGET http://a/", "list:2: weight \"\" is not a whole number from 1 to 1000000"},
      {"#: weight 0\nGET http://a/", "list:1: weight \"0\" is not a whole number from 1 to 1000000"},
      {"#: weight -1\nGET http://a/", "list:1: weight \"-1\" is not a whole number from 1 to 1000000"},
      {"#: weight 2.5\nGET http://a/", "list:1: weight \"2.5\" is not a whole number from 1 to 1000000"},
      {"#: weight 1000001\nGET http://a/", "list:1: weight \"1000001\" is not a whole number from 1 to 1000000"},
      {"#: weight 99999999999999999999\nGET http://a/", "list:1: weight \"99999999999999999999\" is not a whole number from 1 to 1000000"},
      {"#: weight 5 6\nGET http://a/", "list:1: weight \"5 6\" is not a whole number from 1 to 1000000"},
      {"#: weight 5\n#: weight 6\nGET http://a/", "list:2: a target has one weight: this is its second"},
      {"#: expect\nGET http://a/", "list:1: what to expect is missing, as in \"expect status 200,404\""},
      {"#: expect status\nGET http://a/", "list:1: nothing is said of the status to expect"},
      {"#: expect status 2\nGET http://a/",
       "list:1: bad status codes \"2\": \"2\" is not a code; write them like 200-399, 2xx or 200,204,404"},
      {"#: expect status 200\n#: expect status 404\nGET http://a/",
       "list:2: one set of statuses is expected: this is a second; join them with commas, like 200,404"},
      {"#: expect jsn .a\nGET http://a/", "list:1: \"jsn\" can't be expected; did you mean \"json\"?"},
      {"#: name\nGET http://a/", "list:1: a name is missing, as in \"name login\""},
      {"#: name a\n#: name b\nGET http://a/", "list:2: a target has one name: this is its second"},
      {"#: name a\x1b"
       "b\nGET http://a/",
       "list:1: name \"a\\x1bb\" has characters in it that can't be shown"},
      {"GET http://a/\n#: weight 5\n\n# end\n", "list:2: no target comes after this pragma, which would be what it is about"},
      {"#: weight 5", "list:1: no target comes after this pragma, which would be what it is about"},
      {"GET http://a/\n#: weight 5\nX-A: b\n", "list:3: header \"X-A: b\" has no target above it (a pragma speaks of a target to come)"},
      {"GET http://a/\n#: weight 5\n@b\n", "list:3: body \"@b\" has no target above it (a pragma speaks of a target to come)"},
  };
  for (const Slip& row : rows) EXPECT_EQ(http(row.text), "error: " + std::string(row.error)) << row.text;
  EXPECT_EQ(http("#: name " + std::string(201, 'n') + "\nGET http://a/"),
            "error: list:1: name \"" + std::string(40, 'n') + "…\" is longer than 200 bytes");
}

TEST(Pragmas, WhereTheBytesAreCutDoesNotMatter) {
  for (const std::string_view text :
       {"#: name a\nGET http://a/1\n#: weight 5\n\nGET http://a/2\n", "GET http://a/\n#: weight 5", "#:weight 5"})
    for (std::size_t step = 1; step <= text.size(); ++step)
      EXPECT_EQ(outcome(read_text(text, TargetFormat::http, step)), http(text)) << text << " in steps of " << step;
}

TEST(Pragmas, AreNotLeftOverForTheNextTarget) {
  const auto source = make_source(Input::text("#: name a\n#: weight 5\nGET http://a/1\nGET http://a/2\n", "list"), TargetFormat::http, 0);
  Target target;
  EXPECT_TRUE(*source->next(target));
  EXPECT_EQ(target.weight, 5u);
  EXPECT_TRUE(*source->next(target));
  EXPECT_EQ(target.weight, 0u);
  EXPECT_EQ(target.name, "");
}

TEST(Expectations, AreReadFromBothFormats) {
  Expectations wanted;
  wanted.status = "200,404";
  wanted.header = {"Content-Type: text/*"};
  wanted.body = {"a  b", "!~c$"};
  wanted.json = {".a=1", ".b"};
  const auto http_source =
      make_source(Input::text("#: expect status 200,404\n#:  expect  body a  b\n#: expect header Content-Type: text/*\n"
                              "#: expect json .a=1\n#: expect json .b\n#: expect body !~c$\nGET http://a/1\nGET http://a/2\n",
                              "list"),
                  TargetFormat::http, 0);
  const auto json_source =
      make_source(Input::text(R"({"method":"GET","url":"http://a/1","expect":{"status":[200,"404"],"header":"Content-Type: text/*",)"
                              R"("body":["a  b","!~c$"],"json":[".a=1",".b"]}})"
                              "\n{\"method\":\"GET\",\"url\":\"http://a/2\",\"expect\":null}\n",
                              "list"),
                  TargetFormat::json, 0);
  for (const auto& source : {http_source.get(), json_source.get()}) {
    Target target;
    ASSERT_TRUE(*source->next(target));
    EXPECT_EQ(target.expect, wanted);
    ASSERT_TRUE(*source->next(target));
    EXPECT_TRUE(target.expect.empty());
  }
}

TEST(Keys, AreThoseOfThePragmas) {
  const std::string good = R"("method":"GET","url":"http://a/")";
  EXPECT_EQ(json("{" + good + R"(,"name":"log\u0069n","weight":5})" + "\n{" + good + R"(,"weight":null,"name":null})" +
                 "\n{\"name\":\"\"," + good + "}"),
            "GET http://a/\nname: login\nweight: 5\nGET http://a/\nGET http://a/\n");
  EXPECT_EQ(json("{" + good + R"(,"weight":5,"weight":6,"name":"a","name":"b"})"), "GET http://a/\nname: b\nweight: 6\n");
  const Slip rows[] = {
      {R"(,"weight":"5")", "\"weight\" must be a number, not \"\"5\"}\""},
      {R"(,"weight":0)", "weight \"0\" is not a whole number from 1 to 1000000"},
      {R"(,"weight":-5)", "weight \"-5\" is not a whole number from 1 to 1000000"},
      {R"(,"weight":1e3)", "weight \"1e3\" is not a whole number from 1 to 1000000"},
      {R"(,"expect":5)", "\"expect\" must be an object such as {\"status\": 200}, not \"5}\""},
      {R"(,"expect":{"status":true})", "\"expect\": \"status\" must be a text, a number or a list of these, not \"true}}\""},
      {R"(,"expect":{"json":".a>b"})", "\"b\" is no number; <, <=, > and >= compare numbers"},
      {R"(,"expect":{"size":1)", "\",\" or \"}\" was expected after a field, not the list's end"},
      {R"(,"name":5)", "\"name\" must be a string, not \"5}\""},
      {R"(,"name":"a\nb")", "name \"a\\nb\" has characters in it that can't be shown"},
  };
  for (const Slip& row : rows)
    EXPECT_EQ(json("{" + good + std::string(row.text) + "}"), "error: list:1: " + std::string(row.error)) << row.text;
  const std::string text = "{" + good + R"(,"weight":50000,"name":"login"})";
  for (std::size_t step = 1; step <= text.size(); ++step) EXPECT_EQ(outcome(read_text(text, TargetFormat::json, step)), json(text));
}

TEST(Weights, AreRefusedWhereEachTargetIsSentOnce) {
  Folder folder;
  const auto told = [&](const std::string& text, TargetFormat format) {
    auto source = stream_targets(folder.write("list", text), format, {.weights = false});
    Target target;
    const auto more = (*source)->next(target);
    return more ? "read" : more.error().text;
  };
  EXPECT_THAT(told("#: name a\nGET http://a/\n", TargetFormat::http), "read");
  EXPECT_THAT(told("\n#: weight 5\nGET http://a/\n", TargetFormat::http),
              testing::HasSubstr("list:2: a weight is for a list that is sent round and round, and with -lazy each target is sent once"));
  EXPECT_THAT(told(R"({"method":"GET","url":"http://a/","weight":5})", TargetFormat::json), testing::HasSubstr("list:1: a weight is for"));
}

}  // namespace
}  // namespace thrum::targets
