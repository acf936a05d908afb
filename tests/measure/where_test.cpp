#include "measure/where.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace thrum {
namespace {

using testing::HasSubstr;

Result sample() {
  Result r;
  r.method = "POST";
  r.url = "http://ada:secret@127.0.0.1:8080/api/user/5?full=1#top";
  r.attack = "step200";
  r.name = "login page";
  r.error = "timeout: no answer within 1s, at all";
  r.code = 503;
  r.latency = Nanos(1'500'000'000);
  return r;
}

struct Case {
  const char* condition;
  bool holds;
};

// Of sample().
constexpr Case kCases[] = {
    {"code=503", true},
    {"code==503", true},
    {"code=0", false},
    {"code!=503", false},
    {"code = 5xx", true},
    {"code=4XX", false},
    {"code=500-502", false},
    {"code=500-503", true},
    {"code>=503", true},
    {"code>503", false},
    {"code<=503", true},
    {"code<503", false},
    {"code>=5xx", true},
    {"code>4xx", true},
    {"code>5xx", false},
    {"code<5xx", false},
    {"code<=5xx", true},
    {"code!=4xx", true},
    {"latency>1s", true},
    {"latency<=1.5s", true},
    {"latency=1500ms", true},
    {"latency<1m", true},
    {"latency>9223372036854775807ns", false},
    {"latency<=9223372036854775807ns", true},
    {"method=POST", true},
    {"method=post", true},
    {"method=PO", false},
    {"method!=GET", true},
    {"method~^P", true},
    {"method!~^P", false},
    {"METHOD=P*T", true},
    {"attack=step200", true},
    {"name='login page'", true},
    {"name~^log,name!=logout", true},
    {"name=login", false},
    {"attack=step*", true},
    {"attack=*00", true},
    {"attack=*2*", true},
    {"attack=*p*0*0", true},
    {"attack=*3*", false},
    {"attack=\"\"", false},
    {"attack!=''", true},
    {"attack=~\\d+$", true},
    {"error~timeout", true},
    {"error=timeout*", true},
    {"error=timeout", false},
    {"error~(?i)NO\\sANSWER", true},
    {"error='timeout: no answer within 1s, at all'", true},
    {"error~\"1s, at\"", true},
    {"error~(1s, at|never)", true},
    {"error~[,)] and code=503", true},
    {"error~[])] and code=503", false},
    {"error~e{1,2}r", true},
    {"error~\\)", false},
    {"host=127.0.0.1:8080", true},
    {"host~^127", true},
    {"host~ada", false},
    {"url~^http://", true},
    {"url~^/api", true},
    {"url~^/user", false},
    {"url~full=1", true},
    {"url~^/api/user/5[?]full=1$", true},
    {"url=/api/user/*", true},
    {"url=/api/user/5", true},
    {"url=/api/user/5?full=1", true},
    {"url=/api/user/5?full=2", false},
    {"url=/user/*", false},
    {"url=*/user/*", true},
    {"code=503,method=POST", true},
    {"code=503 , method=GET", false},
    {"code=503 and method=GET", false},
    {"code=200 or method=POST", true},
    {"code=200 OR method=GET", false},
    {"code=200 and method=GET or attack=step200", true},
    {"attack=step200 or code=200 and method=GET", true},
    {"(attack=step200 or code=200) and method=GET", false},
    {"(attack=step200 or code=200),(method=GET or url~^/api)", true},
    {"not code=503", false},
    {"!code=503", false},
    {"not not code=503", true},
    {"!(code=200 or method=GET)", true},
    {"not code=200 and not method=GET", true},
    {"not(code=503)", false},
    {" ( ( code=503 ) ) ", true},
};

TEST(Where, HoldsOrNot) {
  for (const Case& c : kCases) {
    Expected<Where> where = Where::parse(c.condition);
    ASSERT_TRUE(where) << c.condition << ": " << where.error().text;
    EXPECT_EQ(where->matches(sample()), c.holds) << c.condition;
    EXPECT_EQ(where->matches(sample()), c.holds) << c.condition << ", remembered";
  }
}

TEST(Where, TellsTextsApartThatItRemembers) {
  Expected<Where> where = Where::parse("url~/[0-9]*7$");
  ASSERT_TRUE(where);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 3000; ++i) {
      const std::string url = "http://h/" + std::to_string(i);
      Result r;
      r.url = url;
      ASSERT_EQ(where->matches(r), i % 10 == 7) << url;
    }
}

TEST(Where, AHostOrPathMayBeMissing) {
  for (const auto& [url, condition] : std::initializer_list<std::pair<const char*, const char*>>{{"http://h", "url=/"},
                                                                                                 {"http://h?a=1", "url=/"},
                                                                                                 {"", "host=\"\""},
                                                                                                 {"/only/a/path", "url=/only/*,host=''"},
                                                                                                 {"/a?next=http://x/", "url=/a"},
                                                                                                 {"http://h", "host=H"}}) {
    Result r;
    r.url = url;
    Expected<Where> where = Where::parse(condition);
    ASSERT_TRUE(where) << condition;
    EXPECT_TRUE(where->matches(r)) << url << " " << condition;
  }
}

struct Fault {
  const char* condition;
  const char* words;
  const char* place;  // the text up to and from the caret
};

constexpr Fault kFaults[] = {
    {"", "expected a condition", ": ^"},
    {"code>>500", "a code is a number", ": code>^>500"},
    {"code=6000000", "a code is a number", "code=^6000000"},
    {"code=300-200", "a code is a number", "code=^300-200"},
    {"code~5", "code is a number: expected =", "code^~5"},
    {"code", "code is a number: expected =", "code^"},
    {"method>GET", "method is text: expected =", "method^>GET"},
    {"method", "method is text", "method^"},
    {"cod=200", "\"cod\" is no field; there are code, method, url", ": ^cod=200"},
    {"code=200 method=GET", "expected , and, or, or the end", "code=200 ^method=GET"},
    {"code=200 and", "expected a condition", "code=200 and^"},
    {"code=200,,code=201", "expected a condition", "code=200,^,code=201"},
    {"(code=200", "this ( has no )", ": ^(code=200"},
    {"code=200)", "there is no ( to this )", "code=200^)"},
    {"url~", "a value is missing", "url~^"},
    {"url=\"a", "this quote has no end", "url=^\"a"},
    {"url~a(b", "this ( of a regular expression is not closed", "url~a^(b"},
    {"url~*", "bad regular expression (no argument for repetition operator", "url~^*"},
    {"latency>5", "unit", "latency>^5"},
    {"error~\x1b(", "this ( of a regular expression is not closed", "error~\\x1b^("},
};

TEST(Where, SaysInOneLineWhatIsWrongAndWhere) {
  for (const Fault& f : kFaults) {
    const Expected<Where> where = Where::parse(f.condition);
    ASSERT_FALSE(where) << f.condition;
    EXPECT_EQ(where.error().kind, ErrorKind::usage);
    EXPECT_THAT(where.error().text, HasSubstr("-where: "));
    EXPECT_THAT(where.error().text, HasSubstr(f.words)) << f.condition;
    EXPECT_THAT(where.error().text, HasSubstr(f.place)) << f.condition;
    EXPECT_EQ(where.error().text.find('\n'), std::string::npos);
  }
}

TEST(Where, NestingAndSizeAreBounded) {
  EXPECT_FALSE(Where::parse(std::string(100'000, '(')));
  EXPECT_FALSE(Where::parse(std::string(100'000, '!') + "code=200"));
  EXPECT_TRUE(Where::parse(std::string(50, '(') + "code=200" + std::string(50, ')')));
  EXPECT_FALSE(Where::parse("url~((((a{100}){100}){100}){100})"));
  EXPECT_LT(Where::parse(std::string(100'000, 'x')).error().text.size(), 400u);
}

}  // namespace
}  // namespace thrum
