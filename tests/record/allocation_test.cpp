// Nothing is allocated per result, neither to write it nor to read it: counted here, with an operator new of our own for this
// executable.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "record/writer.hpp"
#include "samples.hpp"
#include "support/sanitizers.hpp"

namespace {
std::atomic<std::size_t> allocations = 0;
}  // namespace

// Kept out of line: inlined, they look to GCC like a malloc freed by delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace thrum {
namespace {

using samples::Kept;

class Allocation : public ::testing::TestWithParam<Encoding> {};

TEST(Allocation, TheCounterCounts) {
  THRUM_SKIP_WITHOUT_OWN_NEW();
  const std::size_t before = allocations;
  ::operator delete(::operator new(1));
  EXPECT_EQ(allocations, before + 1);
}

TEST_P(Allocation, EncodingNeedsNone) {
  const Kept kept = samples::mixed(1500, 8);
  const auto encoder = make_encoder(GetParam());
  std::string out;
  out.reserve(4 << 20);
  encoder->begin({}, out);
  const auto round = [&] {
    out.clear();
    encoder->append(kept.rows(), out);
    encoder->flush(out);
  };
  for (int warm = 0; warm < 3; ++warm) round();
  const std::size_t before = allocations;
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(allocations, before);
}

TEST_P(Allocation, ReadingNeedsNonePerResult) {
  const Kept kept = samples::mixed(2000, 8);
  const auto read = [&](std::size_t times) {
    std::vector<Result> rows;
    for (std::size_t i = 0; i < times; ++i) rows.insert(rows.end(), kept.rows().begin(), kept.rows().end());
    const samples::TemporaryFile file(samples::encoded(rows, GetParam()));
    const std::size_t before = allocations;
    auto reader = open_results(std::array{file.path()});
    std::size_t count = 0;
    for (;;) {
      const auto batch = (*reader)->next();
      if (!batch || batch->empty()) break;
      count += batch->size();
    }
    EXPECT_EQ(count, rows.size());
    return allocations - before;
  };
  const std::size_t few = read(2), many = read(20);
  EXPECT_LE(many, few + 8);  // buffers that still find their size
}

INSTANTIATE_TEST_SUITE_P(Encodings, Allocation, ::testing::Values(Encoding::native, Encoding::gob, Encoding::json, Encoding::csv),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// What a run pays for its results on the thread that hands them over: a mark per block, now and then.
TEST(Allocation, AWriterInARunNeedsHardlyAny) {
  const Kept kept = samples::mixed(64, 8, {.times = true, .captures = false, .wild = false});
  auto writer = ResultsWriter::to_file("/dev/null", {});
  ASSERT_TRUE(writer);
  const auto take = [&](int times) {
    for (int i = 0; i < times; ++i) ASSERT_TRUE((*writer)->take(kept.rows()));
  };
  take(2000);
  const std::size_t before = allocations;
  take(10'000);  // 640,000 results
  EXPECT_LE(allocations - before, 100u);
}

}  // namespace
}  // namespace thrum
