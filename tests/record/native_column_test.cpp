#include "record/native_column.hpp"

#include <gtest/gtest.h>

#include <random>

#include "record/byte_source.hpp"

namespace thrum::native {
namespace {

std::string packed(const std::vector<std::uint64_t>& values) {
  std::string out;
  append_column(values, out);
  return out;
}

// What a reader makes of it, and that it ends where the column ends.
std::vector<std::uint64_t> unpacked(const std::string& bytes, std::size_t rows) {
  std::string padded = bytes + std::string(ByteSource::kSlack, '\x55');
  Cursor c(std::string_view(padded).substr(0, bytes.size()));
  ColumnValues column;
  column.read(c, rows);
  EXPECT_FALSE(c.failed());
  EXPECT_TRUE(c.at_end());
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < rows; ++i) values.push_back(column.at(i));
  return values;
}

TEST(NativeColumn, EveryWidthAtEveryAlignment) {
  std::mt19937_64 random(7);
  for (unsigned width = 0; width <= 64; ++width) {
    for (std::size_t rows = 1; rows < 20; ++rows) {
      std::vector<std::uint64_t> values(rows);
      for (auto& v : values) v = width == 0 ? 9 : random() >> (64 - width);
      EXPECT_EQ(unpacked(packed(values), rows), values) << width << " bits, " << rows << " rows";
    }
  }
}

TEST(NativeColumn, OutliersDoNotWidenTheRest) {
  std::vector<std::uint64_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 5'000'000 + i * 7919 % 1000;
  const std::size_t without = packed(values).size();
  values[17] = values[990] = 30'000'000'000, values[500] = ~std::uint64_t{0};
  const std::string bytes = packed(values);
  EXPECT_LT(bytes.size(), without + 40);
  EXPECT_EQ(unpacked(bytes, values.size()), values);
}

TEST(NativeColumn, FewDifferentNumbersTakeFewBits) {
  std::vector<std::uint64_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * i % 7 == 1 ? 1'000'000'007 : i % 3 * 803;
  const std::string bytes = packed(values);
  EXPECT_LT(bytes.size(), 1000 * 2 / 8 + 24);
  EXPECT_EQ(unpacked(bytes, values.size()), values);
}

TEST(NativeColumn, AllTheSameTakeThatOne) { EXPECT_EQ(packed(std::vector<std::uint64_t>(1000, 200)), std::string("\x00\xc8\x01", 3)); }

TEST(NativeColumn, SparseNumbersCostOnlyThemselves) {
  std::vector<std::uint64_t> values(1024, 0);
  values[3] = 91'234, values[800] = 104'000;
  const std::string bytes = packed(values);
  EXPECT_LT(bytes.size(), 16u);
  EXPECT_EQ(unpacked(bytes, values.size()), values);
}

TEST(NativeColumn, ReadsNothingThatMakesNoSense) {
  for (const std::string_view bytes :
       {std::string_view("", 0), std::string_view("\x01\x00", 2), std::string_view("\x42", 1), std::string_view("\x7f\x00\x00", 3),
        std::string_view("\x41\x02\x01", 3), std::string_view("\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12),
        std::string_view("\x80\x00\x01\x20\x01", 5), std::string_view("\x41\x02\x01\x02\x03\xff", 6)}) {
    std::string padded = std::string(bytes) + std::string(ByteSource::kSlack, '\0');
    Cursor c(std::string_view(padded).substr(0, bytes.size()));
    ColumnValues column;
    column.read(c, 9);
    EXPECT_TRUE(c.failed()) << ::testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace thrum::native
