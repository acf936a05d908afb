#include "targets/http_format.hpp"

#include <gmock/gmock.h>

#include "lists.hpp"

namespace thrum::targets {
namespace {

std::string read(std::string_view text) { return outcome(read_text(text, TargetFormat::http)); }

constexpr std::string_view kPlain =
    "GET http://a/1\n"
    "X-A: 1\n"
    "x-b: two  words\n"
    "\n"
    "POST http://a/2\n"
    "X-A: 1\n"
    "X-A: 2\n";
constexpr std::string_view kPlainRead = "GET http://a/1\nX-A: 1\nx-b: two  words\nPOST http://a/2\nX-A: 1\nX-A: 2\n";

TEST(HttpFormat, MethodUrlHeaders) { EXPECT_EQ(read(kPlain), kPlainRead); }

TEST(HttpFormat, LayoutDoesNotMatter) {
  const std::string_view same[] = {
      // From a Windows editor.
      "\xef\xbb\xbfGET http://a/1\r\nX-A: 1\r\nx-b: two  words\r\n\r\nPOST http://a/2\r\nX-A: 1\r\nX-A: 2",
      "GET http://a/1  \nX-A:1\t\n x-b :\ttwo  words \n \t \n\n\n\t\n  POST http://a/2\nX-A:   1\nX-A: 2\n\n\n",
      // No blank line between.
      "GET http://a/1\nX-A: 1\nx-b: two  words\nPOST http://a/2\nX-A: 1\nX-A: 2\n",
      "# one\n\n#two\nGET http://a/1\n# in it\nX-A: 1\n  # and here\nx-b: two  words\n#:and so\nPOST http://a/2\nX-A: 1\n#\nX-A: 2\n# end",
      "\n# one\nGET http://a/1\nX-A: 1\nx-b: two  words\n\n# between\n\nPOST http://a/2\n\xc2\xa0X-A: 1\xc2\xa0\nX-A: 2\n",
  };
  for (const std::string_view text : same) EXPECT_EQ(read(text), kPlainRead) << text;
}

TEST(HttpFormat, ATargetLineStartsATargetAHeaderDoesNot) {
  EXPECT_EQ(read("GET http://a/1\n# c\nGET http://a/2\n"), "GET http://a/1\nGET http://a/2\n");
  EXPECT_EQ(read("GET http://a/1\nX: 1\nPUT HTTPS://b/2 c\n"), "GET http://a/1\nX: 1\nPUT HTTPS://b/2 c\n");
  EXPECT_EQ(read("GET http://a/1\nGET : x\n"), "GET http://a/1\nGET: x\n");
  EXPECT_EQ(read("GET http://a/1\nGET: http://a/2\n"), "GET http://a/1\nGET: http://a/2\n");
  EXPECT_EQ(read("GET http://a/1\nLINK:<http://a/2>\n"), "GET http://a/1\nLINK: <http://a/2>\n");
}

TEST(HttpFormat, LinesMayBeLong) {
  const std::string path(70'000, 'p'), value(300'000, 'v');
  EXPECT_EQ(read("GET http://a/1\n\nGET http://a/" + path + "\nX: " + value + "\n\nGET http://a/3\n"),
            "GET http://a/1\nGET http://a/" + path + "\nX: " + value + "\nGET http://a/3\n");
}

TEST(HttpFormat, ButNotWithoutEnd) {
  std::string text = "GET http://a/1\nX: ";
  text.append(kLongest, 'v');
  EXPECT_EQ(read(text), "error: list:2: a line longer than 64 MiB");
  // Nor may a target be, however short its lines.
  text = "GET http://a/1\n";
  const std::string line = "X: " + std::string(1'000'000, 'v') + "\n";
  for (int i = 0; i < 68; ++i) text += line;
  EXPECT_EQ(read(text), "error: list:69: a target longer than 64 MiB");
}

struct Slip {
  std::string_view text, error;
};

TEST(HttpFormat, SlipsAreToldWithTheirLine) {
  const Slip rows[] = {
      {"", "list: no targets: it is empty"},
      {"\n# x\n", "list: no targets: nothing but blank lines and comments (2 lines)"},
      {"#", "list: no targets: nothing but blank lines and comments (1 line)"},
      {"BAD", "list:1: \"BAD\" is no target line (METHOD http://host/path)"},
      {"GET http://a/\n\nBAD\n", "list:3: \"BAD\" is no target line (METHOD http://host/path)"},
      {"get http://a/", "list:1: method \"get\" is not in capital letters"},
      {"M-SEARCH http://a/", "list:1: method \"M-SEARCH\": only capital letters here (the json format takes any method)"},
      {"GET\thttp://a/", "list:1: a tab after GET: write one space"},
      {"GET  http://a/", "list:1: more than one space between GET and its URL"},
      {"http://a/", "list:1: no method before the URL: write \"GET http://a/\""},
      {"GET /path", "list:1: bad URL \"/path\": it should start with http:// or https://"},
      {"GET localhost:80/", "list:1: bad URL \"localhost:80/\": it should start with http:// or https://"},
      {"X-A: b\nGET http://a/", "list:1: header \"X-A: b\" has no target above it"},
      {"GET http://a/\n\nX-A: b", "list:3: header \"X-A: b\" has no target above it (a blank line ends a target)"},
      {"@b", "list:1: body \"@b\" has no target above it"},
      {"GET http://a/\n\n\n@b", "list:4: body \"@b\" has no target above it (a blank line ends a target)"},
      {"GET http://a/\n@/dev/null\nX-A: b", "list:3: header \"X-A: b\" has no target above it: headers come before the body's @file"},
      {"GET http://a/\n@/dev/null\n@/dev/null", "list:3: a target has one body: this is its second @file"},
      {"GET http://a/\n@", "list:2: \"@\" names no body file"},
      {"GET http://a/\nfoo", "list:2: \"foo\" is neither a header (Name: value) nor a target (METHOD http://host/path)"},
      {"GET http://a/\nGET /2", "list:2: \"GET /2\" is neither a header (Name: value) nor a target (METHOD http://host/path)"},
      {"GET http://a/\nget http://a/2",
       "list:2: header name \"get http\" must not contain \" \"; if a target was meant, its method is in capital letters"},
      {"GET http://a/\nX Y: b", "list:2: header name \"X Y\" must not contain \" \""},
      {"GET http://a/\nX-\xc3\xa9: b", "list:2: header name \"X-\xc3\xa9\" must not contain \"\xc3\xa9\""},
      {"GET http://a/\nX: a\x1b[31mb", "list:2: the value of header \"X\" must not contain \"\\x1b\""},
      {"GET http://a/\n: b", "list:2: a header without a name"},
      {"GET http://a/\nX-A:", "list:2: header \"X-A\" has no value (the json format can send an empty one)"},
      {"{\"method\":\"GET\"}",
       "list:1: \"{\"method\":\"GET\"}\" is no target line (METHOD http://host/path); JSON targets need -format=json"},
      {"\x1b[2J\x07", "list:1: \"\\x1b[2J\\x07\" is no target line (METHOD http://host/path)"},
      {"\xff\xfeG", "list:1: the text is UTF-16; save it as UTF-8"},
  };
  for (const Slip& row : rows) EXPECT_EQ(read(row.text), "error: " + std::string(row.error)) << row.text;
}

TEST(HttpFormat, WhereTheBytesAreCutDoesNotMatter) {
  const std::string_view texts[] = {
      kPlain,     "\xef\xbb\xbfGET http://a/1\r\n# c\r\nX: y\r\nGET http://a/2",
      "\xef\xbb", "\xff",
      "\xff\xfe", "GET http://a/\nfoo\n",
      "\n\n#",    "",
  };
  for (const std::string_view text : texts)
    for (std::size_t step = 1; step <= text.size(); ++step)
      EXPECT_EQ(outcome(read_text(text, TargetFormat::http, step)), read(text)) << text << " in steps of " << step;
}

TEST(HttpFormat, AStreamGivesWhatCameBeforeTheSlip) {
  const auto source = make_source(Input::text("GET http://a/1\n\nBAD\n", "stdin"), TargetFormat::http, 0);
  Target target;
  EXPECT_TRUE(*source->next(target));
  EXPECT_EQ(target.url, "http://a/1");
  EXPECT_THAT(source->next(target).error().text, testing::StartsWith("stdin:3: "));
}

TEST(HttpFormat, WhatTheTargetHeldBeforeIsReplaced) {
  const auto source = make_source(Input::text("GET http://a/1\n", "list"), TargetFormat::http, 0);
  Target target{"POST", "http://b/", {{"X", "1"}, {"Y", "2"}}, std::make_shared<const std::string>("old")};
  EXPECT_TRUE(*source->next(target));
  EXPECT_EQ(target.method + target.url, "GEThttp://a/1");
  EXPECT_TRUE(target.headers.empty());
  EXPECT_EQ(target.body, nullptr);
  EXPECT_FALSE(*source->next(target));
  EXPECT_FALSE(*source->next(target));
}

}  // namespace
}  // namespace thrum::targets
