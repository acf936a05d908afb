// JSON lines beyond what was recorded: our own keys, odd spellings, and that the usual order of keys is only a shortcut.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "record/json_line.hpp"
#include "samples.hpp"

namespace thrum {
namespace {

using samples::Kept;

TEST(Json, AllThatAResultHoldsComesBack) {
  const Kept kept = samples::mixed(3000, 11, {.times = true, .captures = true, .wild = false});
  const auto read = samples::read(samples::encoded(kept.rows(), Encoding::json));
  ASSERT_EQ(read.results.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(samples::difference(read.results.rows()[i], kept.rows()[i]), "") << i;
}

TEST(Json, OwnKeysOnlyWhereThereIsSomethingToSay) {
  Result r;
  r.code = 200;
  EXPECT_TRUE(samples::encoded({r}, Encoding::json).ends_with("\"headers\":null}\n"));
  r.lag = Nanos(3), r.first_byte = Nanos(4), r.dns = Nanos(5), r.connect = Nanos(6), r.tls = Nanos(7);
  r.code = 0, r.seen_status = 206, r.retries = 1, r.redirects = 2, r.outcome = Outcome::truncated;
  EXPECT_TRUE(samples::encoded({r}, Encoding::json)
                  .ends_with("\"headers\":null,\"lag\":3,\"first_byte\":4,\"dns\":5,\"connect\":6,\"tls\":7,\"seen_status\":206,"
                             "\"retries\":1,\"redirects\":2,"
                             "\"outcome\":\"truncated\"}\n"));
}

// The same members in any order, with blanks anywhere, mean the same.
TEST(Json, OrderAndBlanksDoNotMatter) {
  const Kept kept = samples::mixed(300, 12, {.times = true, .captures = true, .wild = false});
  std::mt19937_64 random(1);
  std::istringstream lines(samples::encoded(kept.rows(), Encoding::json));
  std::string shuffled;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::ordered_json::parse(line);
    std::vector<std::string> members;
    for (const auto& [key, value] : json.items())
      members.push_back(nlohmann::json(key).dump() + (random() % 2 ? " : " : ":") + value.dump());
    std::shuffle(members.begin(), members.end(), random);
    std::string text = random() % 2 ? "{ " : "{";
    for (const std::string& m : members) text += (&m == members.data() ? "" : ", ") + m;
    shuffled += text + "}\n";
  }
  const auto read = samples::read(shuffled);
  ASSERT_EQ(read.results.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(samples::difference(read.results.rows()[i], kept.rows()[i]), "") << i;
}

TEST(Json, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string_view line, what;
    std::size_t at;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"({"code":200,"code":"x"})", "a whole number was expected", 19},
           {R"({"code":70000})", "the number is too large", 8},
           {R"({"seq":18446744073709551616})", "the number is too large", 7},
           {R"({"latency":-9223372036854775809})", "the number is too large", 12},
           {R"({"latency":1.5})", "a whole number was expected", 12},
           {R"({"timestamp":"yesterday"})", "not a time like 2006-01-02T15:04:05Z", 13},
           {R"({"error":"\x"})", "no such escape", 10},
           {R"({"error":"\u12)", "\\u needs four hexadecimal digits", 10},
           {R"({"error":"abc)", "a string has no end", 9},
           {R"({"attack":5})", "a string was expected", 10},
           {R"({"attack":"x","seq":,"code":200})", "a whole number was expected", 20},
           {R"({"body":"!"})", "the body is not base64", 8},
           {R"({"headers":{"a":"b"}})", "a list of a header's values was expected", 16},
           {R"({"code":200)", "the line ends too early", 11},
           {R"({"zzz":[1})", "the line ends too early", 10},
           {R"([1])", "not a JSON object", 0},
           {std::string_view("{\"url\":\"a\0b\"}", 13), "a NUL byte", 9},
           {R"({"timestamp":"2023-11-14T22:13:20Z","code":1,"code":2})", "a key comes twice, as when two lines have become one", 52},
           {R"({"code":1,"code":null,"timestamp":"2023-11-14T22:13:20Z"})", "a key comes twice, as when two lines have become one", 17},
       }) {
    JsonLineParser parser;
    Scratch scratch;
    Result r;
    const char* const error = parser.parse(c.line, r, scratch);
    ASSERT_NE(error, nullptr) << c.line;
    EXPECT_EQ(std::string_view(error), c.what) << c.line;
    EXPECT_EQ(parser.error_offset(), c.at) << c.line;
  }
}

// Wherever a range across a line's end goes missing, or becomes zeros, no more is lost in silence than the range itself had.
TEST(Json, TwoLinesThatBecameOneAreDamage) {
  const Kept kept = samples::mixed(2, 13, {.times = true, .captures = true, .wild = false});
  const std::string whole = samples::encoded(kept.rows(), Encoding::json);
  const std::size_t line_end = whole.find('\n');
  for (const std::size_t half : {1u, 5u, 20u, 40u, 60u, 100u})
    for (std::size_t from = line_end - half; from <= line_end; ++from) {
      const std::size_t size = half + 1;
      std::string missing = whole, zeros = whole;
      missing.erase(from, size);
      zeros.replace(from, size, size, '\0');
      const auto a = samples::read(missing), b = samples::read(zeros);
      EXPECT_TRUE(a.results.size() == 2 || !a.damage.empty() || !a.error.empty()) << missing;
      EXPECT_TRUE(b.results.size() == 2 || !b.damage.empty() || !b.error.empty()) << from;
    }
}

TEST(Json, AFewFieldsMayRepeatThemselves) {
  const auto read = samples::read("{\"code\":200,\"code\":404}\n");
  ASSERT_EQ(read.results.size(), 1u);
  EXPECT_EQ(read.results.rows()[0].code, 404);
}

TEST(Json, ALineOfAnyLengthThroughAPipe) {
  Result r;
  const std::string body(300'000, 'b'), url(200'000, 'u');
  r.body = body;
  r.url = url;
  const std::string bytes = samples::encoded({r, r}, Encoding::json);
  const auto read = samples::read_through_pipe(bytes, 1000);
  ASSERT_EQ(read.results.size(), 2u);
  EXPECT_EQ(read.results.rows()[1].body, body);
  EXPECT_EQ(read.results.rows()[1].url, url);
}

}  // namespace
}  // namespace thrum
