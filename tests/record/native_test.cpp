// The native format: all that a result holds comes back; runs, events and books too; the size it promises.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "record/file_header.hpp"
#include "samples.hpp"

namespace thrum {
namespace {

using samples::Kept;

void expect_same(const std::vector<Result>& got, const std::vector<Result>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(samples::difference(got[i], wanted[i]), "") << "result " << i;
}

TEST(Native, EveryFieldComesBack) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Kept kept = samples::mixed(3000, seed);
    for (const std::size_t block : {1, 7, 1000, 3000}) {
      const auto read = samples::read(samples::encoded(kept.rows(), Encoding::native, block));
      EXPECT_EQ(read.error, "");
      EXPECT_TRUE(read.damage.empty());
      expect_same(read.results.rows(), kept.rows());
    }
  }
}

TEST(Native, ExtremeNumbersAndTimes) {
  Kept kept;
  for (const std::int64_t seconds : {-62'135'596'800L, -1L, 0L, 9'223'372'036L, 9'223'372'037L, 253'402'300'799L, -9'223'372'037L}) {
    for (const std::uint64_t seq : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
      Result r;
      r.timestamp = {seconds, 999'999'999, 0};
      r.seq = r.bytes_in = r.bytes_out = seq;
      r.latency = Nanos(static_cast<std::int64_t>(seq));
      r.lag = Nanos(INT64_MAX);
      r.first_byte = Nanos(INT64_MIN + 7);
      r.dns = Nanos(-1), r.connect = Nanos(0), r.tls = Nanos(INT64_MIN + 1);
      r.code = 0xffff, r.seen_status = 0xfffe;
      r.retries = 255;
      r.redirects = 0xffff;
      kept.add(r);
    }
  }
  expect_same(samples::read(samples::encoded(kept.rows(), Encoding::native)).results.rows(), kept.rows());
}

TEST(Native, NewUrlsAllTheTimeLoseNothing) {
  Kept kept;
  for (std::uint64_t i = 0; i < 30'000; ++i) {
    const std::string url = "http://h/" + std::to_string(i) + std::string(i % 50, 'x'),
                      error = i % 3 == 0 ? "port " + std::to_string(i) : "";
    Result r;
    r.timestamp = Timestamp{1'700'000'000, 0, 0}.plus(Nanos(static_cast<std::int64_t>(i) * 1000));
    r.seq = i;
    r.method = "GET";
    r.url = url;
    r.error = error;
    r.outcome = Outcome::unknown;
    kept.add(r);
  }
  expect_same(samples::read(samples::encoded(kept.rows(), Encoding::native, 300)).results.rows(), kept.rows());
}

TEST(Native, LargeCapturesMakeBlocksOfTheirOwn) {
  Kept kept;
  std::mt19937_64 random(3);
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::string body(i % 2 == 0 ? 3'000'000 : 100, 'x');
    for (char& c : body) c = static_cast<char>(random());
    Result r;
    r.seq = i;
    r.body = body;
    kept.add(r);
  }
  const std::string bytes = samples::encoded(kept.rows(), Encoding::native);
  expect_same(samples::read(bytes).results.rows(), kept.rows());
  expect_same(samples::read_through_pipe(bytes, 50'000).results.rows(), kept.rows());
}

TEST(Native, ThroughAPipeOneByteAtATime) {
  const Kept kept = samples::mixed(200);
  expect_same(samples::read_through_pipe(samples::encoded(kept.rows(), Encoding::native, 50), 1).results.rows(), kept.rows());
}

TEST(Native, HeaderEventsAndBooksComeBack) {
  FileHeader header;
  header.tool = "thrum", header.version = "1.2.3", header.run_id = new_run_id(), header.attack = "big \"bang\"", header.host = "box";
  header.start = {1'700'000'000, 5, 3600};
  header.shape = "100/s", header.seed = ~std::uint64_t{0}, header.asked_rate = 100.5, header.duration = Nanos(5'000'000'000),
  header.hits = 12;
  header.latency_clock = LatencyClock::response, header.success = "200-299";
  header.options = {{"rate", "100"}, {"rate", "twice"}, {"name", "x\xffy"}};
  header.mix.order = "weighted", header.mix.others = 3, header.mix.others_weight = 4;
  header.mix.parts = {{"login", "POST", "http://h/login", 5}, {"", "GET", "http://h/", 1}};
  ClosingBooks books;
  books.results = 2, books.spooled_bytes = 4096;
  books.summary.books = {10, 8, 2, 5, 2, 1};
  books.summary.connections = {1, 2, 3, 4, 5, 6};
  books.summary.proxies = "http://p:1";
  books.summary.protocols = {7, 8};
  books.summary.traffic = {1, 2, 3, 4, 5, 6, 7, 8, Nanos(9), Nanos(10)};
  books.summary.interference = {0.5, 11, 12, Nanos(13), 0.25, 14};
  books.summary.limit = Limit::workers, books.summary.limit_value = 8, books.summary.limit_needed = 40;
  books.summary.started = header.start, books.summary.elapsed = Nanos(5), books.summary.sending = Nanos(6), books.summary.shards = 2,
  books.summary.io = Io::uring;
  books.summary.busiest_shard = 0.25, books.summary.truncated_captures = 3, books.summary.stopped = books.summary.was_cut = true;

  const auto encoder = make_encoder(Encoding::native);
  std::string out;
  encoder->begin(header, out);
  encoder->append(samples::mixed(2).rows(), out);
  encoder->event({Nanos(1'000), "rate", "200/s"}, out);
  encoder->finish(books, out);
  const auto read = samples::read(out);
  ASSERT_EQ(read.runs.size(), 1u);
  const thrum::Run& run = read.runs[0];
  EXPECT_EQ(run.encoding, Encoding::native);
  header.options[2].second = "x\xef\xbf\xbdy";  // JSON holds text
  EXPECT_EQ(to_json(run.header), to_json(header));
  EXPECT_EQ(run.header.options, header.options);
  EXPECT_EQ(run.header.hits, 12u);
  ASSERT_EQ(run.header.mix.parts.size(), 2u);
  EXPECT_EQ(run.header.mix.parts[0].name, "login");
  EXPECT_EQ(run.header.mix.others_weight, 4u);
  ASSERT_EQ(run.events.size(), 1u);
  EXPECT_EQ(run.events[0].at, Nanos(1'000));
  EXPECT_EQ(run.events[0].detail, "200/s");
  ASSERT_TRUE(run.closing);
  EXPECT_EQ(to_json(*run.closing), to_json(books));
  EXPECT_EQ(run.closing->summary.limit, Limit::workers);
  EXPECT_EQ(run.closing->summary.io, Io::uring);
  EXPECT_EQ(run.closing->summary.books.missed, 2u);
  EXPECT_EQ(run.closing->summary.protocols.http2, 8u);
  EXPECT_EQ(run.closing->summary.traffic.least_rtt, Nanos(10));
  EXPECT_EQ(run.closing->summary.traffic.out_of_order, 8u);
  EXPECT_EQ(run.closing->summary.interference.listen_overflows, 14u);
  EXPECT_EQ(run.closing->summary.interference.quota, 0.5);
}

TEST(Native, StreamsOneAfterTheOtherAreRuns) {
  FileHeader first, second;
  first.attack = "one", second.attack = "two";
  const Kept kept = samples::mixed(100);
  const std::string bytes =
      samples::encoded(kept.rows(), Encoding::native, 30, first) + samples::encoded(kept.rows(), Encoding::native, 30, second);
  const auto read = samples::read(bytes);
  EXPECT_EQ(read.results.size(), 200u);
  ASSERT_EQ(read.runs.size(), 2u);
  EXPECT_EQ(read.runs[0].header.attack, "one");
  EXPECT_EQ(read.runs[1].header.attack, "two");
  EXPECT_TRUE(read.damage.empty());
}

TEST(Native, AnUnknownVersionIsSaid) {
  std::string bytes = samples::encoded(samples::mixed(3).rows(), Encoding::native);
  bytes[7] = 9;
  const auto read = samples::read(bytes);
  EXPECT_EQ(read.error, "input: results in version 9 of thrum's format, and this thrum reads version 1: use a newer thrum");
}

TEST(Native, ARunWithoutResultsIsNoError) {
  const auto read = samples::read(samples::encoded({}, Encoding::native));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.runs.size(), 1u);
}

// What was killed has no end; what was made of other results needs none.
TEST(Native, AMissingEndOfARecordedRunIsSaid) {
  FileHeader recorded;
  recorded.tool = "thrum";
  const Kept kept = samples::mixed(40);
  const std::string killed = samples::encoded(kept.rows(), Encoding::native, 20, recorded);
  std::string ended = killed;
  const auto encoder = make_encoder(Encoding::native, {});
  std::string closing;
  encoder->finish({{}, 40, 0}, closing);
  ended += closing;
  EXPECT_TRUE(samples::read(ended).damage.empty());
  for (const std::string& bytes : {killed, killed + ended, killed.substr(0, 8)}) {
    const auto read = samples::read(bytes);
    ASSERT_EQ(read.damage.size(), 1u);
    EXPECT_NE(read.damage[0].what.find("the run's end is missing"), std::string::npos) << read.damage[0].what;
    EXPECT_NE(samples::read(bytes, {.strict = true}).error.find("the run's end is missing"), std::string::npos);
  }
  EXPECT_EQ(samples::read(killed).results.size(), 40u);
  recorded.source = "gob";
  EXPECT_TRUE(samples::read(samples::encoded(kept.rows(), Encoding::native, 20, recorded)).damage.empty());
}

// A string is in the first two blocks that use it: losing the first loses nothing of the others.
TEST(Native, ALostBlockTakesNoOthersStringsWithIt) {
  const Kept kept = samples::mixed(200, 4);
  const std::string bytes = samples::encoded(kept.rows(), Encoding::native, 20);
  std::vector<std::size_t> blocks;
  for (std::size_t at = bytes.find("\xd3\x9aTB"); at != std::string::npos; at = bytes.find("\xd3\x9aTB", at + 1)) blocks.push_back(at);
  blocks.push_back(bytes.size());
  ASSERT_EQ(blocks.size(), 12u);  // the header, ten of results, the end
  for (std::size_t b = 1; b + 1 < blocks.size(); ++b) {
    const auto read = samples::read(bytes.substr(0, blocks[b]) + bytes.substr(blocks[b + 1]));
    ASSERT_EQ(read.results.size(), 180u);
    for (std::size_t i = 0; i < 180; ++i)
      EXPECT_EQ(samples::difference(read.results.rows()[i], kept.rows()[i < (b - 1) * 20 ? i : i + 20]), "") << "without block " << b;
  }
}

TEST(Native, LostStringsAreSaid) {
  std::vector<Result> rows(3);
  for (Result& r : rows) r.url = "http://h/", r.seq = static_cast<std::uint64_t>(&r - rows.data());
  const std::string bytes = samples::encoded(rows, Encoding::native, 1);
  const std::size_t second = bytes.find("\xd3\x9aTB", 9), third = bytes.find("\xd3\x9aTB", second + 1),
                    fourth = bytes.find("\xd3\x9aTB", third + 1);
  const auto read = samples::read(bytes.substr(0, second) + bytes.substr(fourth));
  ASSERT_EQ(read.results.size(), 1u);
  EXPECT_EQ(read.results.rows()[0].url, "");
  ASSERT_EQ(read.damage.size(), 1u);
  EXPECT_NE(read.damage[0].what.find("1 names defined in lost blocks"), std::string::npos);
}

// At most 12 bytes for a typical result: 1,000 a second, latencies and lags random to the nanosecond.
TEST(Native, ATypicalResultTakesTwelveBytesAtMost) {
  std::mt19937_64 random(42);
  std::normal_distribution<double> normal;
  std::vector<Result> rows(20'000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Result& r = rows[i];
    r.seq = i;
    r.method = "GET";
    r.url = "http://127.0.0.1:18080/api/products";
    r.lag = Nanos(static_cast<std::int64_t>(4000 * std::exp(0.7 * normal(random))));
    r.latency = Nanos(static_cast<std::int64_t>(1'500'000 * std::exp(0.5 * normal(random))));
    r.first_byte = r.latency - Nanos(static_cast<std::int64_t>(random() % 5000));
    r.timestamp = Timestamp{1'700'000'000, 0, 0}.plus(Nanos(static_cast<std::int64_t>(i) * 1'000'000 + r.lag.count()));
    r.code = 200;
    r.bytes_in = 803;
  }
  std::sort(rows.begin(), rows.end(), [](const Result& a, const Result& b) { return a.end().before(b.end()); });
  FileHeader header;
  header.tool = "thrum", header.options = {{"rate", "1000"}, {"duration", "20s"}, {"targets", "stdin"}};
  const std::string bytes = samples::encoded(rows, Encoding::native, 100, header);  // as a tick every tenth of a second leaves them
  EXPECT_LE(static_cast<double>(bytes.size()) / static_cast<double>(rows.size()), 8.0);
}

}  // namespace
}  // namespace thrum
