#include "targets/json_format.hpp"

#include <gmock/gmock.h>

#include "lists.hpp"

namespace thrum::targets {
namespace {

using std::string_view_literals::operator""sv;

std::string read(std::string_view text) { return outcome(read_text(text, TargetFormat::json)); }

// An object with a method, a URL and whatever else.
std::string with(std::string_view more) { return R"({"method":"GET","url":"http://a/")" + std::string(more) + "}\n"; }

TEST(JsonFormat, ALineATarget) {
  EXPECT_EQ(read(R"({"method":"POST","url":"http://a/1","body":"aGVsbG8A/w==","header":{"Content-Type":["text/plain"],"x-m":["1","2"]}}
{"url":"http://a/2","method":"FoO-bar"}
)"),
            "POST http://a/1\nContent-Type: text/plain\nx-m: 1\nx-m: 2\nbody: hello\0\xff\nFoO-bar http://a/2\n"sv);
}

TEST(JsonFormat, LayoutDoesNotMatter) {
  const std::string_view same[] = {
      "{\"method\":\"GET\",\"url\":\"http://a/1\"}\n{\"method\":\"PUT\",\"url\":\"http://a/2\"}\n",
      "\n\n {\"method\":\"GET\",\"url\":\"http://a/1\"} \r\n\n\t\n{\"method\":\"PUT\",\"url\":\"http://a/2\"}",
      "\xef\xbb\xbf\xc2\xa0{\"method\":\"GET\",\"url\":\"http://a/1\"}\xc2\xa0\n\v{\"method\":\"PUT\",\"url\":\"http://a/2\"}\f\n",
      "{\n  \"method\" : \"GET\",\n  \"url\" : \"http://a/1\"\n}\n{\n\"method\":\n\"PUT\"\n,\"url\":\"http://a/2\"}\n",
      "[{\"method\":\"GET\",\"url\":\"http://a/1\"},{\"method\":\"PUT\",\"url\":\"http://a/2\"}]",
      "[\n  {\n    \"method\": \"GET\",\n    \"url\": \"http://a/1\"\n  },\n  {\n    \"method\": \"PUT\",\n    \"url\": \"http://a/2\"\n  "
      "}\n]\n",
      "[]\n[{\"method\":\"GET\",\"url\":\"http://a/1\"}]\n{\"method\":\"PUT\",\"url\":\"http://a/2\"}\n",
  };
  for (const std::string_view text : same) EXPECT_EQ(read(text), "GET http://a/1\nPUT http://a/2\n") << text;
}

struct Row {
  std::string text, targets;
};

TEST(JsonFormat, Fields) {
  const Row rows[] = {
      {with(R"(,"header":{"A":"1","B":["2"],"C":["3","4"]})"), "GET http://a/\nA: 1\nB: 2\nC: 3\nC: 4\n"},
      {with(R"(,"header":{"A":[],"B":null,"C":[""],"D":"  v\t"})"), "GET http://a/\nC: \nD: v\n"},
      {with(R"(,"header":{})"), "GET http://a/\n"},
      {with(R"(,"header":null,"body":null)"), "GET http://a/\n"},
      {with(R"(,"body":"")"), "GET http://a/\n"},
      {with(R"(,"body":"aGVs\nbG8\u003d")"), "GET http://a/\nbody: hello\n"},
      // Two keys of one name: the last stands, as vegeta has it.
      {with(R"(,"method":"PUT","method":null)"), "PUT http://a/\n"},
      {with(R"(,"header":{"A":"1"},"header":{"B":"2"})"), "GET http://a/\nB: 2\n"},
      {with(R"(,"header":{"A":["1","2"],"B":"3","A":["4","5"],"a":"6"})"), "GET http://a/\nB: 3\nA: 4\nA: 5\na: 6\n"},
      // Other keys are passed over, whatever they hold.
      {with(R"(,"headers":{"A":["1"]},"x":[1,{"y":[]},"\"]",{}],"z":true,"n":-1.5e+400,"o":007)"), "GET http://a/\n"},
      {with(R"(,"x":"a\q\"\u12","z":{"\y":1})"), "GET http://a/\n"},
      {with(R"(,"x":[[[[{"a":[false,null]}]]]])"), "GET http://a/\n"},
      {R"({"\u006dethod":"GE\u0054","url":"http:\/\/a\/"})", "GET http://a/\n"},
      // Strings keep their bytes; escapes are decoded; half a pair is U+FFFD, as in Go.
      {"{\"method\":\"GET\",\"url\":\"http://a/\xe9\xff\"}", "GET http://a/\xe9\xff\n"},
      {with(",\"header\":{\"A\":\"x\ty\xe9\"}"), "GET http://a/\nA: x\ty\xe9\n"},
      {R"({"method":"GET","url":"http://a/\u00e9\u6f22\ud83d\ude00"})", "GET http://a/\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80\n"},
      {R"({"method":"GET","url":"http://a/\ud800x\udc00\uD800\u0041\ud83d\ud83d\ude00"})",
       "GET http://a/\xef\xbf\xbdx\xef\xbf\xbd\xef\xbf\xbd"
       "A\xef\xbf\xbd\xf0\x9f\x98\x80\n"},
  };
  for (const Row& row : rows) EXPECT_EQ(read(row.text), row.targets) << row.text;
}

struct Slip {
  std::string text, error;
};

TEST(JsonFormat, SlipsAreToldWithTheirLineAndField) {
  const std::string good = with("");
  const Slip rows[] = {
      {"", "list: no targets: not one object in 1 line"},
      {"\n[\n]", "list: no targets: not one object in 3 lines"},
      {"{}", R"(list:1: a target without "method")"},
      {"null\n", R"(list:1: a JSON object was expected, not "null")"},
      {R"({"method":"","url":"http://a/"})", R"(list:1: a target without "method")"},
      {R"({"method":"GET"})", R"(list:1: a target without "url")"},
      {R"({"Method":"GET","url":"http://a/"})", R"(list:1: a target without "method" (keys are in small letters: "Method" is another))"},
      {R"({"method":"GET","URL":"http://a/"})", R"(list:1: a target without "url" (keys are in small letters: "URL" is another))"},
      {good + R"({"method":"G T","url":"http://a/"})", R"(list:2: "method" is "G T", which is no method's name)"},
      {good + R"({"method":"GET","url":"/j"})", R"(list:2: bad URL "/j": it should start with http:// or https://)"},
      {R"({"method":5,"url":"http://a/"})", R"(list:1: "method" must be a string, not "5,"url":"http://a/"}")"},
      {with(R"(,"header":["A: 1"])"), R"(list:1: "header" must be an object such as {"Name": ["value"]}, not "["A: 1"]}")"},
      {with(R"(,"header":{"A":5})"), R"(list:1: header "A" must be a string or a list of strings, not "5}}")"},
      {with(R"(,"header":{"A":["1",null]})"), R"(list:1: header "A" must be a string or a list of strings, not "null]}}")"},
      {with(R"(,"header":{"":"v"})"), "list:1: a header without a name"},
      {with(R"(,"header":{"A":"x\ny"})"), R"(list:1: the value of header "A" must not contain "\n")"},
      {with(R"(,"body":{"n":1})"),
       R"(list:1: "body" must be a string, the bytes to send in base64 (jq: body: ({n: 1} | tojson | @base64)), not "{"n":1}}")"},
      {with(R"(,"body":"hello world")"),
       R"(list:1: "body" is not base64 (byte 6 of "hello world"): encode the bytes to send (jq: body: ("text" | @base64)))"},
      {"GET http://a/\n", R"(list:1: a JSON object was expected, not "GET http://a/"; that is the http format (-format=http))"},
      {"{'method':'GET'}", R"(list:1: a key in double quotes was expected, not "'method':'GET'}")"},
      {with(","), R"(list:1: a key in double quotes was expected, not "}")"},
      {good + "\n{bad}", R"(list:3: a key in double quotes was expected, not "bad}")"},
      {"{\"method\":\"GET\",\n\"url\":\"http://a/\n", R"(list:2: string "http://a/" has no closing quote on its line)"},
      {"{\"method\":\"GET\",\n\"url\":\"http://a\\/\n", R"(list:2: string "http://a/" has no closing quote on its line)"},
      {"{\"method\":\"GET\",\n\"url\":\"http://a/\"\n", R"(list:3: "," or "}" was expected after a field, not the list's end)"},
      {R"({"method":"GET","url":"http:)", "list:1: the list ends inside a string"},
      {R"({"method":"GET","url":"http:\)", "list:1: the list ends inside a string"},
      {R"({"method")", R"(list:1: ":" was expected after a key, not the list's end)"},
      {R"({"method":)", "list:1: the list ends inside a target"},
      // A forgotten brace does not swallow what follows.
      {R"({"method":"GET","url":"http://a/")"
       "\n" +
           good + good,
       R"(list:2: "," or "}" was expected after a field, not "{"method":"GET","url…")"},
      {R"({"method":"GET","url":"http://a/"} x)", R"(list:1: one target a line, or all in an array: there is more after the first, "x")"},
      {R"({"method":"GET","url":"http://a/"},)", R"(list:1: one target a line, or all in an array: there is more after the first, ",")"},
      {"[" + good + "{}]", R"(list:2: "," or "]" was expected after a target in an array, not "{}]")"},
      {"[" + good + ",]", R"(list:2: a JSON object was expected in the array, not "]")"},
      {"[" + good, R"(list:2: "," or "]" was expected after a target in an array, not the list's end)"},
      {"[1]", R"(list:1: a JSON object was expected in the array, not "1]")"},
      {with(R"(,"x":tru)"), R"(list:1: "tru}" is no JSON value)"},
      {with(R"(,"x":[1 2])"), R"(list:1: "," or "]" was expected, not "2]}")"},
      {with(R"(,"x":[}])"), R"(list:1: a value was expected, not "}]}")"},
      {with(R"(,"x":{"a" 1})"), R"(list:1: ":" was expected after a key, not "1}}")"},
      {with(R"(,"x":{a:1})"), R"(list:1: a key in double quotes was expected, not "a:1}}")"},
      {with(R"(,"x":1.2.3)"), R"(list:1: "," or "}" was expected after a field, not ".3}")"},
      {with(R"(,"x":"a)"), "list:1: a string has no closing quote on its line"},
      {with(",\"x\":\"a\\\n\""), "list:1: a string has no closing quote on its line"},
      {R"({"x":"a\)", "list:1: the list ends inside a string"},
      {with(R"(,"x":+1)"), R"(list:1: a value was expected, not "+1}")"},
      {with(",\"x\":" + std::string(2000, '[')), "list:1: brackets nested too deeply"},
      {with(R"(,"\z":1)"), R"(list:1: "\z" is no escape that JSON knows)"},
      {R"({"method":"G\qT"})", R"(list:1: "\q" is no escape that JSON knows)"},
      {R"({"method":"G\u12x"})", R"(list:1: "\u" takes four hexadecimal digits)"},
      {"\x1b[2J", R"(list:1: a JSON object was expected, not "\x1b[2J")"},
  };
  for (const Slip& row : rows) EXPECT_EQ(read(row.text), "error: " + row.error) << row.text;
}

TEST(JsonFormat, ATargetIsNotEndless) {
  std::string text = "{\"url\":\"http://a/";
  text.append(kLongest + (1 << 20), 'v');
  EXPECT_EQ(read(text), "error: list:1: a target longer than 64 MiB");
  text = "{\"x\":[";
  while (text.size() <= kLongest + (1 << 20)) text += "\"0123456789\",";
  EXPECT_EQ(read(text), "error: list:1: a target longer than 64 MiB");
}

TEST(JsonFormat, BlanksBetweenTargetsMayBe) { EXPECT_EQ(read(std::string(kLongest + (2 << 20), '\n') + with("")), "GET http://a/\n"); }

TEST(JsonFormat, AnArrayMayBeLongerThanAnyTarget) {
  std::string text = "[";
  const std::string target = R"({"method":"GET","url":"http://a/","x":")" + std::string(1'000'000, 'x') + "\"}";
  for (int i = 0; i < 80; ++i) text += (i > 0 ? "," : "") + target;
  const auto targets = read_text(text + "]", TargetFormat::json);
  ASSERT_TRUE(targets) << targets.error().text;
  EXPECT_EQ(targets->size(), 80u);
}

TEST(JsonFormat, WhereTheBytesAreCutDoesNotMatter) {
  const std::string texts[] = {
      with(R"(,"header":{"A":["\ud83d\ude00\t.","\ud800\ud83d\ude00"]})"),
      with(R"(,"body":"aGVs\nbG8\u003d","x":[1.5,{"y":null}])") + with(R"(,"header":{"A":"1","A":"2"})"),
      "\xef\xbb\xbf[" + with("") + "\xc2\xa0,\n" + with("") + "]\n",
      with("") + "null\n",
      with("") + "{\"method\":\"GET\",\"url\":\"http://a/",
      with(",\"x\":fals"),
      with(R"(,"x":"a\"\\b","y":{"\\":-12.5e-7},"z":1.2.3)"),
      "\xe2\x80",
      "GET http://a/\n",
  };
  for (const std::string& text : texts)
    for (std::size_t step = 1; step <= text.size(); ++step)
      EXPECT_EQ(outcome(read_text(text, TargetFormat::json, step)), read(text)) << text << " in steps of " << step;
}

TEST(JsonFormat, WhatTheTargetHeldBeforeIsReplaced) {
  const std::string text = with("");
  const auto source = make_source(Input::text(text, "list"), TargetFormat::json, 0);
  Target target{"POST", "http://b/", {{"X", "1"}, {"Y", "2"}}, std::make_shared<const std::string>("old")};
  EXPECT_TRUE(*source->next(target));
  EXPECT_EQ(target.method + target.url, "GEThttp://a/");
  EXPECT_TRUE(target.headers.empty());
  EXPECT_EQ(target.body, nullptr);
  EXPECT_FALSE(*source->next(target));
}

TEST(JsonFormat, NamesOfFormats) {
  EXPECT_EQ(*parse_target_format("http"), TargetFormat::http);
  EXPECT_EQ(*parse_target_format("json"), TargetFormat::json);
  EXPECT_EQ(parse_target_format("JSON").error().text, "format \"JSON\" is not one of http, json");
}

}  // namespace
}  // namespace thrum::targets
