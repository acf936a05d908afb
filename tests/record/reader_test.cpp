// Several files at once: in bulk and in turn, runs told apart, live pipes.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "record/transcode.hpp"
#include "samples.hpp"

namespace thrum {
namespace {

using samples::Kept;
using samples::TemporaryFile;

std::vector<Result> numbered(std::string_view attack, std::uint64_t from, std::size_t count) {
  std::vector<Result> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i].attack = attack, rows[i].seq = from + i;
  return rows;
}

std::vector<std::uint64_t> sequence(Reader& reader) {
  std::vector<std::uint64_t> all;
  for (;;) {
    const auto rows = reader.next();
    if (!rows || rows->empty()) return all;
    for (const Result& r : *rows) all.push_back(r.seq);
  }
}

TEST(Reader, FilesInTurnOneResultEach) {
  const TemporaryFile a(samples::encoded(numbered("a", 100, 2), Encoding::native)),
      b(samples::encoded(numbered("b", 200, 5), Encoding::json)), c(samples::encoded(numbered("c", 300, 3), Encoding::gob));
  const std::vector<std::string> names = {a.path(), b.path(), c.path()};
  auto reader = open_results(names, {.order = ReaderOptions::Order::in_turn});
  ASSERT_TRUE(reader);
  EXPECT_EQ(sequence(**reader), (std::vector<std::uint64_t>{100, 200, 300, 101, 201, 301, 202, 302, 203, 204}));
}

// The first 300 were sent before the run: whole batches, and a part of one.
TEST(Reader, ResultsOfAWarmUpComeOnlyIfAskedFor) {
  std::vector<Result> rows = numbered("a", 0, 1000);
  for (std::size_t i = 0; i < 300; ++i) rows[i].is_warmup = true;
  for (const Encoding encoding : {Encoding::native, Encoding::json}) {
    const TemporaryFile file(samples::encoded(rows, encoding, 128));
    const std::vector<std::string> names = {file.path()};
    for (const auto order : {ReaderOptions::Order::bulk, ReaderOptions::Order::in_turn}) {
      auto all = open_results(names, {.warmup = true, .order = order}), counted = open_results(names, {.order = order});
      ASSERT_TRUE(all && counted);
      EXPECT_EQ(sequence(**all).size(), 1000u);
      const auto numbers = sequence(**counted);
      ASSERT_EQ(numbers.size(), 700u);
      EXPECT_EQ(numbers.front(), 300u);
    }
    const samples::Read read = samples::read(samples::encoded(rows, encoding), {.warmup = true});
    EXPECT_TRUE(read.results.rows()[299].is_warmup);
    EXPECT_FALSE(read.results.rows()[300].is_warmup);
  }
}

TEST(Reader, ManyResultsInTurnAllComeWhole) {
  const Kept kept = samples::mixed(5000, 21);
  const std::string bytes = samples::encoded(kept.rows(), Encoding::native, 700);
  const TemporaryFile a(bytes), b(bytes);
  const std::vector<std::string> names = {a.path(), b.path()};
  auto reader = open_results(names, {.order = ReaderOptions::Order::in_turn});
  ASSERT_TRUE(reader);
  std::size_t n = 0;
  for (;;) {
    const auto rows = (*reader)->next();
    ASSERT_TRUE(rows);
    if (rows->empty()) break;
    for (const Result& r : *rows) ASSERT_EQ(samples::difference(r, kept.rows()[n++ / 2]), "");
  }
  EXPECT_EQ(n, 10'000u);
}

TEST(Reader, InBulkABatchIsOfOneRun) {
  FileHeader one, two, three;
  one.attack = "one", two.attack = "two", three.attack = "three";
  const TemporaryFile a(samples::encoded(numbered("", 100, 400), Encoding::native, 100, one) +
                        samples::encoded(numbered("", 200, 3), Encoding::native, 100, two)),
      b(samples::encoded(numbered("", 300, 3), Encoding::csv)), c(samples::encoded(numbered("", 400, 3), Encoding::native, 100, three));
  const std::vector<std::string> names = {a.path(), b.path(), c.path()};
  auto reader = open_results(names);
  ASSERT_TRUE(reader);
  std::map<const thrum::Run*, std::size_t> counts;
  for (;;) {
    const auto rows = (*reader)->next();
    ASSERT_TRUE(rows);
    if (rows->empty()) break;
    counts[&(*reader)->run()] += rows->size();
  }
  const auto runs = (*reader)->runs();
  ASSERT_EQ(runs.size(), 4u);
  std::map<std::string, std::size_t> named;
  for (const auto& [run, count] : counts) named[run->file + "|" + run->header.attack] = count;
  EXPECT_EQ(named, (std::map<std::string, std::size_t>{
                       {a.path() + "|one", 400}, {a.path() + "|two", 3}, {b.path() + "|", 3}, {c.path() + "|three", 3}}));
}

TEST(Reader, AWrongFileAmongManyFailsBeforeAnything) {
  const TemporaryFile a(samples::encoded(numbered("", 100, 2), Encoding::native)), b("hello\n");
  const std::vector<std::string> names = {a.path(), b.path()};
  const auto reader = open_results(names);
  ASSERT_FALSE(reader);
  EXPECT_TRUE(reader.error().text.starts_with(b.path() + ": byte 0: not results but text")) << reader.error().text;
}

TEST(Reader, OneWarningPerFile) {
  const std::string whole = samples::encoded(numbered("", 100, 2), Encoding::json);
  const TemporaryFile a("broken{\n" + whole), b("{broken\n{broken\n" + whole), c(whole);
  std::vector<std::string> names = {b.path(), c.path()};
  auto reader = open_results(names);
  ASSERT_TRUE(reader);
  EXPECT_EQ(sequence(**reader).size(), 4u);
  ASSERT_EQ((*reader)->damage().size(), 1u);
  EXPECT_EQ((*reader)->damage()[0].places, 2u);
}

// What has arrived of a live pipe is given at once; the reader says when it would wait.
TEST(Reader, ALivePipeGivesWhatIsThere) {
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv}) {
    SCOPED_TRACE(name_of(e));
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const auto encoder = make_encoder(e);
    const auto send = [&](std::uint64_t seq) {
      std::string out;
      if (seq == 0) encoder->begin({}, out);
      encoder->append(numbered("", seq, 1), out);
      encoder->flush(out);
      ASSERT_EQ(::write(ends[1], out.data(), out.size()), static_cast<ssize_t>(out.size()));
    };
    send(0);
    auto reader = open_results(ends[0], "pipe");
    ASSERT_TRUE(reader);
    for (std::uint64_t seq = 0; seq < 5; ++seq) {
      const auto rows = (*reader)->next();
      ASSERT_TRUE(rows);
      ASSERT_EQ(rows->size(), 1u);
      EXPECT_EQ((*rows)[0].seq, seq);
      EXPECT_FALSE((*reader)->ready(Nanos(0))) << "nothing is there";
      if (seq == 4) break;
      send(seq + 1);
      EXPECT_TRUE((*reader)->ready(Nanos(0)));
    }
    ::close(ends[1]);
    EXPECT_TRUE((*reader)->ready(Nanos(0)));
    const auto rows = (*reader)->next();
    ASSERT_TRUE(rows);
    EXPECT_TRUE(rows->empty());
    ::close(ends[0]);
  }
}

// From any encoding to any other and on: nothing is lost that both hold.
TEST(Transcode, NativeKeepsRunsAndBooks) {
  FileHeader header;
  header.attack = "one", header.run_id = "42";
  const auto encoder = make_encoder(Encoding::native);
  std::string bytes;
  encoder->begin(header, bytes);
  encoder->append(numbered("", 0, 10), bytes);
  encoder->event({Nanos(7), "rate", "5/s"}, bytes);
  ClosingBooks books;
  books.results = 10, books.summary.books.missed = 3;
  encoder->finish(books, bytes);
  const TemporaryFile a(bytes), b(samples::encoded(numbered("", 20, 5), Encoding::csv)), out;
  const std::vector<std::string> names = {a.path(), b.path(), a.path()};
  auto reader = open_results(names);
  auto output = Output::create(out.path());
  const auto count = transcode(**reader, Encoding::native, {}, *output);
  ASSERT_TRUE(count) << count.error().text;
  EXPECT_EQ(*count, 25u);
  const auto read = samples::read(out.contents());
  EXPECT_EQ(read.results.size(), 25u);
  EXPECT_TRUE(read.damage.empty());
  ASSERT_EQ(read.runs.size(), 3u);
  EXPECT_EQ(read.runs[0].header.run_id, "42");
  EXPECT_EQ(read.runs[1].header.source, "csv");
  EXPECT_EQ(read.runs[2].header.attack, "one");
  ASSERT_TRUE(read.runs[2].closing);
  EXPECT_EQ(read.runs[2].closing->summary.books.missed, 3u);
  EXPECT_EQ(read.runs[2].closing->results, 10u);
  ASSERT_EQ(read.runs[2].events.size(), 1u);
}

}  // namespace
}  // namespace thrum
