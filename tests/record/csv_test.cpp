// CSV beyond what was recorded: columns by name and by number, quoted fields, round trips.
#include <gtest/gtest.h>

#include <ctime>

#include "record/csv_record.hpp"
#include "samples.hpp"

namespace thrum {
namespace {

using samples::Kept;

class Csv : public ::testing::Test {
 protected:
  Csv() { ::setenv("TZ", "UTC", 1); }
};

TEST_F(Csv, AllThatCsvHoldsComesBack) {
  const Kept kept = samples::mixed(3000, 13, {.times = false, .captures = true, .wild = false});
  const auto read = samples::read(samples::encoded(kept.rows(), Encoding::csv));
  ASSERT_EQ(read.results.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    Result wanted = kept.rows()[i];
    wanted.timestamp.zone = Timestamp::kLocalZero;
    wanted.body = wanted.body.value_or("");
    EXPECT_EQ(samples::difference(read.results.rows()[i], wanted), "") << i;
  }
}

TEST_F(Csv, TheHeaderRowNamesTheColumns) {
  const Kept kept = samples::mixed(2);
  const auto encoder = make_encoder(Encoding::csv, {.csv_header = true});
  std::string out;
  encoder->begin({}, out);
  encoder->append(kept.rows(), out);
  EXPECT_TRUE(out.starts_with("timestamp,code,latency,bytes_out,bytes_in,error,body,attack,seq,method,url,headers\n")) << out;
  EXPECT_EQ(samples::read(out).results.size(), 2u);
}

TEST_F(Csv, ColumnsInAnyOrderByName) {
  const auto read = samples::read(
      "url,\"Latency\",Extra, timestamp,code\nhttp://h/,5,x,1700000000000000001,200\nhttp://g/,6,y,1700000000000000002,503\n");
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.results.size(), 2u);
  const Result& r = read.results.rows()[1];
  EXPECT_EQ(r.url, "http://g/");
  EXPECT_EQ(r.latency, Nanos(6));
  EXPECT_EQ(r.code, 503);
  EXPECT_EQ(r.timestamp.nanos, 2);
  EXPECT_EQ(r.method, "");
}

TEST_F(Csv, ColumnsByPositionWhateverTheirNumber) {
  const std::string row = "1700000000000000000,200,1000,1,2,err,YWJj,atk,7,GET,http://h/,,13,14,15";
  for (const std::size_t columns : {6, 7, 9, 11, 12, 15}) {
    std::size_t end = 0;
    for (std::size_t c = 0; c < columns; ++c) end = row.find(',', end + 1) == std::string::npos ? row.size() : row.find(',', end + 1);
    const std::string line = row.substr(0, end) + "\n";
    const auto read = samples::read(line + line);
    EXPECT_EQ(read.error, "") << columns;
    ASSERT_EQ(read.results.size(), 2u) << columns;
    EXPECT_EQ(read.results.rows()[0].seq, columns >= 9 ? 7u : 0u);
    EXPECT_EQ(read.results.rows()[0].url, columns >= 11 ? "http://h/" : "");
  }
}

TEST_F(Csv, AStrayQuoteSwallowsOneLineAtMost) {
  const std::string good = "1700000000000000000,200,1000,1,2,,,atk,7,GET,http://h/,\n";
  std::string bad = good;
  bad.replace(bad.find("atk"), 1, "\"");
  const auto read = samples::read(good + bad + good + good);
  EXPECT_EQ(read.results.size(), 3u);
  ASSERT_EQ(read.damage.size(), 1u);
  EXPECT_EQ(read.damage[0].places, 1u);
  EXPECT_EQ(read.damage[0].bytes, bad.size());
}

// A hole in a file, such as a machine leaves that lost its power: what is left of the rows around it can look like one.
TEST_F(Csv, AHoleIsDamageAndNotARow) {
  const std::string row = "1700000000000000000,200,1000,1,2,,,atk,7,GET,http://h/12345,\n";
  const auto at = row.find("12345");
  for (const std::size_t rows : {1, 2}) {  // how many row ends the hole covers
    std::string text = row + row + row + row;
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), rows * row.size(), '\0');
    const auto read = samples::read(text);
    EXPECT_EQ(read.results.size(), 4 - rows - 1);
    ASSERT_EQ(read.damage.size(), 1u);
    EXPECT_EQ(read.damage[0].what, "a hole of NULs");
  }
}

TEST_F(Csv, RecordsAtEveryCut) {
  const std::string text = "a,\"b \"\"q\"\" \r\n c\", d\r\nnext,1\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    CsvRecordParser parser;
    Scratch scratch;
    const auto outcome = parser.parse(std::string_view(text).substr(0, cut), false, scratch);
    const std::size_t record = text.find("next");
    ASSERT_EQ(outcome, cut < record ? CsvRecordParser::Outcome::incomplete : CsvRecordParser::Outcome::whole) << cut;
    if (cut < record) continue;
    EXPECT_EQ(parser.size(), record);
    EXPECT_EQ(parser.fields(), (std::vector<std::string_view>{"a", "b \"q\" \n c", "d"}));
  }
}

TEST_F(Csv, HeaderBlocks) {
  struct Case {
    std::string_view block;
    bool fine;
    std::size_t headers;
  };
  for (const Case& c : std::initializer_list<Case>{{"\r\n", true, 0},
                                                   {"A: b\r\n\r\n", true, 1},
                                                   {"a-b: c\na-b:d\n\n", true, 2},
                                                   {"A: b\r\n c\r\n\td\r\n\r\n", true, 1},
                                                   {": v\r\n\r\n", true, 0},
                                                   {"A : b\r\n\r\n", true, 1},
                                                   {"A: b\r\n", false, 0},
                                                   {" A: b\r\n\r\n", false, 0},
                                                   {"nocolon\r\n\r\n", false, 0},
                                                   {"(x): b\r\n\r\n", false, 0},
                                                   {"", false, 0}}) {
    std::vector<Header> headers;
    Scratch scratch;
    EXPECT_EQ(parse_header_block(c.block, headers, scratch) == nullptr, c.fine) << c.block;
    if (c.fine) {
      EXPECT_EQ(headers.size(), c.headers) << c.block;
    }
    if (c.block.starts_with("A: b\r\n c")) {
      EXPECT_EQ(headers[0].value, "b c d");
    }
    if (c.block.starts_with("a-b")) {
      EXPECT_EQ(headers[0].name, "A-B");
    }
  }
}

}  // namespace
}  // namespace thrum
