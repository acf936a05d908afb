#include "report/hdr_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <map>

#include "record/base64.hpp"
#include "run_builder.hpp"

namespace thrum::report {
namespace {

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// Counts by bin, read as the format's description says.
std::map<std::uint32_t, std::int64_t> decoded(const std::string& base64) {
  std::string bytes(base64.size(), '\0');
  const auto size = decode_base64(base64, bytes.data());
  EXPECT_TRUE(size);
  bytes.resize(*size);
  EXPECT_EQ(big_endian(bytes, 0, 4), 0x1c849314u);
  EXPECT_EQ(big_endian(bytes, 4, 4), bytes.size() - 8);
  std::string plain(1 << 20, '\0');
  uLongf length = plain.size();
  EXPECT_EQ(
      ::uncompress(reinterpret_cast<Bytef*>(plain.data()), &length, reinterpret_cast<const Bytef*>(bytes.data() + 8), bytes.size() - 8),
      Z_OK);
  plain.resize(length);
  EXPECT_EQ(big_endian(plain, 0, 4), 0x1c849313u);
  EXPECT_EQ(big_endian(plain, 4, 4), plain.size() - 40);
  EXPECT_EQ(big_endian(plain, 12, 4), 3u);
  EXPECT_EQ(big_endian(plain, 16, 8), 1u);
  EXPECT_EQ(big_endian(plain, 32, 8), 0x3ff0000000000000u);
  std::map<std::uint32_t, std::int64_t> counts;
  std::uint32_t bin = 0;
  for (std::size_t at = 40; at < plain.size();) {
    std::uint64_t word = 0;
    for (int i = 0;; ++i) {
      const auto byte = static_cast<unsigned char>(plain[at++]);
      word |= static_cast<std::uint64_t>(i == 8 ? byte : byte & 0x7f) << (7 * i);
      if (i == 8 || byte < 0x80) break;
    }
    const auto value = static_cast<std::int64_t>(word >> 1 ^ -(word & 1));
    if (value < 0)
      bin += static_cast<std::uint32_t>(-value);
    else
      counts[bin++] = value;
  }
  return counts;
}

TEST(HdrLog, CountsAreThoseOfTheBins) {
  Histogram few;
  for (const std::int64_t v : {0, 5, 5, 2047, 2048, 2049, 1'000'000, -7}) few.record(Nanos(v));
  // 2,048 and 2,049 share the first bin that is two wide; 1,000,000 is 1,953.125 * 512, so bin 9 * 1,024 + 1,953.
  EXPECT_THAT(decoded(hdr_base64(few)), testing::ElementsAre(testing::Pair(0, 1), testing::Pair(5, 2), testing::Pair(2047, 1),
                                                             testing::Pair(2048, 2), testing::Pair(9 * 1024 + 1953, 1)));
  Histogram many;
  for (int i = 0; i < 3000; ++i) many.merge(few);
  auto counts = decoded(hdr_base64(many));
  EXPECT_EQ(counts[2048], 6000);
  EXPECT_EQ(counts.size(), 5u);
  EXPECT_TRUE(decoded(hdr_base64(Histogram())).empty());
}

TEST(HdrLog, ALinePerRunWithItsName) {
  const std::string one = hdr_log(input_of({run_of("a", steady(10, kSecond, 2 * kMs))}));
  EXPECT_THAT(one, testing::StartsWith("#[Histogram log format version 1.3]\n#[StartTime: 1700000000.000 (seconds since epoch)]\n"));
  EXPECT_THAT(one, testing::HasSubstr("\n0.000,9.002,2.000,HISTFAAAA"));
  std::vector<Result> later = steady(10, kSecond, 2 * kMs);
  for (Result& r : later) r.timestamp = r.timestamp.plus(Nanos(5 * kSecond));
  const std::string two = hdr_log(input_of({run_of("a", steady(10, kSecond, 2 * kMs)), run_of("b,=c", later), run_of("none", {})}));
  EXPECT_THAT(two, testing::HasSubstr("\nTag=a,0.000,9.002,2.000,HIST"));
  EXPECT_THAT(two, testing::HasSubstr("\nTag=b__c,5.000,9.002,2.000,HIST"));
  EXPECT_THAT(two, testing::Not(testing::HasSubstr("none")));
}

}  // namespace
}  // namespace thrum::report
