// Any file cut anywhere, or with any byte flipped, gives all that is whole and one warning, or one clear line.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "samples.hpp"

namespace thrum {
namespace {

using samples::Kept;
using samples::Read;

constexpr std::size_t kRows = 32;

class Damage : public ::testing::TestWithParam<Encoding> {
 protected:
  Damage()
      : kept_(samples::mixed(kRows, 5, {.times = GetParam() == Encoding::native, .captures = true, .wild = true})),
        bytes_(samples::encoded(kept_.rows(), GetParam(), kBlock)),
        whole_(samples::read(bytes_)) {}

  static constexpr std::size_t kBlock = 8;

  // The results that came back as they were written, in order.
  std::size_t unharmed(const Read& read) const {
    std::size_t same = 0, from = 0;
    for (const Result& r : read.results.rows()) {
      std::size_t i = from;
      while (i < kRows && !samples::difference(r, whole_.results.rows()[i]).empty()) ++i;
      if (i == kRows) continue;
      ++same;
      from = i + 1;
    }
    return same;
  }

  static void expect_clear(const Read& read) {
    EXPECT_EQ(read.error.find('\n'), std::string::npos);
    EXPECT_LE(read.damage.size(), 1u);
    if (read.error.empty()) {
      EXPECT_NE(read.results.size() + read.damage.size() + read.runs.size(), 0u);
    }
    for (const thrum::Damage& d : read.damage) EXPECT_EQ(d.warning().find('\n'), std::string::npos);
  }

  Kept kept_;
  std::string bytes_;
  Read whole_;
};

TEST_P(Damage, NoneIsSaidOfAWholeFile) {
  EXPECT_EQ(whole_.error, "");
  EXPECT_TRUE(whole_.damage.empty());
  EXPECT_EQ(whole_.results.size(), kRows);
}

TEST_P(Damage, CutAnywhere) {
  // How many results end at or before each byte.
  std::vector<std::size_t> ends;
  for (std::size_t n = 1; n <= kRows; ++n)
    if (GetParam() != Encoding::native || n % kBlock == 0)
      ends.push_back(
          samples::encoded({kept_.rows().begin(), kept_.rows().begin() + static_cast<std::ptrdiff_t>(n)}, GetParam(), kBlock).size());
  const std::size_t rows_per_end = GetParam() == Encoding::native ? kBlock : 1;
  for (std::size_t cut = 0; cut < bytes_.size(); ++cut) {
    SCOPED_TRACE(cut);
    const Read read = samples::read(std::string_view(bytes_).substr(0, cut));
    expect_clear(read);
    const auto whole = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), cut) - ends.begin()) * rows_per_end;
    EXPECT_GE(unharmed(read), whole);
    // A text line may lack its newline, or the end of its last field, and still be one.
    EXPECT_LE(read.results.size(), whole + (GetParam() == Encoding::json || GetParam() == Encoding::csv ? 1 : 0));
    const bool at_end = cut == 0 || std::find(ends.begin(), ends.end(), cut) != ends.end();
    if (whole != 0 && !at_end && GetParam() == Encoding::gob) {
      EXPECT_EQ(read.damage.size(), 1u);
    }
  }
}

TEST_P(Damage, AnyByteFlipped) {
  // gob says only at its start how its results are laid out.
  constexpr std::size_t kDefinitions = 206;
  const std::size_t definitions = GetParam() == Encoding::gob ? kDefinitions : 0;
  const std::size_t most_lost = GetParam() == Encoding::native ? kBlock : GetParam() == Encoding::csv ? 12 : 2;
  for (std::size_t at = 0; at < bytes_.size(); ++at) {
    for (const unsigned flip : {0x01u, 0x84u}) {
      SCOPED_TRACE(::testing::Message() << at << " ^ " << flip);
      std::string bytes = bytes_;
      bytes[at] = static_cast<char>(static_cast<std::uint8_t>(bytes[at]) ^ flip);
      const Read read = samples::read(bytes);
      expect_clear(read);
      if (at < std::max<std::size_t>(definitions, 16)) continue;  // what the file is, is said there
      EXPECT_EQ(read.error, "");
      EXPECT_GE(unharmed(read) + most_lost, kRows);
      if (GetParam() == Encoding::native) {
        EXPECT_EQ(unharmed(read), read.results.size()) << "a check must not let a changed result pass";
      }
    }
  }
}

TEST_P(Damage, StrictMakesItAnError) {
  std::string bytes = bytes_.substr(0, bytes_.size() - 3);
  if (GetParam() == Encoding::csv || GetParam() == Encoding::json) bytes.insert(bytes.find('\n') + 1, "broken,\n");
  const Read lenient = samples::read(bytes), strict = samples::read(bytes, {.strict = true});
  EXPECT_EQ(lenient.error, "");
  EXPECT_EQ(lenient.damage.size(), 1u);
  EXPECT_NE(strict.error.find("(-strict)"), std::string::npos) << strict.error;
  EXPECT_NE(strict.error.find("input: byte "), std::string::npos) << strict.error;
}

INSTANTIATE_TEST_SUITE_P(Encodings, Damage, ::testing::Values(Encoding::native, Encoding::gob, Encoding::json, Encoding::csv),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(Damage, GarbageBetweenBlocksIsPassedOver) {
  const Kept kept = samples::mixed(40);
  const std::string first = samples::encoded(kept.rows(), Encoding::native), second = samples::encoded(kept.rows(), Encoding::native);
  const auto read = samples::read(first + std::string(5000, '\xd3') + second.substr(0, second.size() - 1) + first);
  EXPECT_EQ(read.results.size(), 80u);
  ASSERT_EQ(read.damage.size(), 1u);
  EXPECT_EQ(read.damage[0].offset, first.size());
  EXPECT_EQ(read.damage[0].places, 2u);
}

TEST(Damage, AWarningSaysWhatWasLost) {
  const Kept kept = samples::mixed(40);
  const std::string bytes = samples::encoded(kept.rows(), Encoding::native, 10);
  const auto read = samples::read(bytes.substr(0, bytes.size() - 1));
  ASSERT_EQ(read.damage.size(), 1u);
  EXPECT_EQ(read.damage[0].warning(), "input: byte " + std::to_string(read.damage[0].offset) + ": the last block is cut; " +
                                          std::to_string(read.damage[0].bytes) + " bytes passed over, all the rest was used");
}

}  // namespace
}  // namespace thrum
