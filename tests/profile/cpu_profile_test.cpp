#include "profile/cpu_profile.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <vector>

#include "support/sanitizers.hpp"

namespace thrum::profile {
namespace {

// Works until so many samples were taken: of CPU, so that it ends on any machine.
[[gnu::noinline]] std::uint64_t work(const CpuProfile& profile, std::uint64_t samples) {
  std::uint64_t x = 1;
  while (profile.samples() < samples)
    for (int i = 0; i < 10'000; ++i) x = x * 6364136223846793005 + 1442695040888963407;
  return x;
}

struct Sample {
  std::uintptr_t count;
  std::vector<std::uintptr_t> calls;
};

struct File {
  std::vector<std::uintptr_t> header;
  std::vector<Sample> samples;
  bool has_trailer = false;
  std::string maps;
};

File read(const std::string& bytes) {
  File file;
  std::size_t at = 0;
  const auto word = [&] {
    std::uintptr_t value = 0;
    if (at + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  };
  for (int i = 0; i < 5; ++i) file.header.push_back(word());
  while (at < bytes.size()) {
    Sample sample{word(), {}};
    const std::uintptr_t depth = word();
    for (std::uintptr_t i = 0; i < depth && at < bytes.size(); ++i) sample.calls.push_back(word());
    if (sample.count == 0) {
      file.has_trailer = sample.calls == std::vector<std::uintptr_t>{0};
      break;
    }
    file.samples.push_back(sample);
  }
  file.maps = bytes.substr(std::min(at, bytes.size()));
  return file;
}

TEST(CpuProfile, HasASampleForEachHundredthOfASecondOfCpu) {
  const auto profile = CpuProfile::start();
  ASSERT_TRUE(profile);
  EXPECT_FALSE(CpuProfile::start()) << "there is one signal";
  EXPECT_NE(work(**profile, 10), 0u);
  const File file = read((*profile)->finish());
  EXPECT_THAT(file.header, testing::ElementsAre(0, 3, 0, 10'000, 0));
  EXPECT_TRUE(file.has_trailer);
  EXPECT_THAT(file.maps, testing::HasSubstr("profile_test"));
  std::uintptr_t samples = 0;
  [[maybe_unused]] std::uintptr_t with_callers = 0;
  for (const Sample& s : file.samples) {
    samples += s.count;
    if (s.calls.size() > 2) with_callers += s.count;
  }
  EXPECT_EQ(samples, (*profile)->samples());
  EXPECT_GE(samples, 10u);
#if !defined(THRUM_THREAD_SANITIZER)  // which holds signals back until a call of its own
  EXPECT_GE(with_callers, samples / 2);
#endif
}

// What was interrupted comes first, not the handler: most samples are of the one loop that there is.
TEST(CpuProfile, SamplesAreOfWhatWasInterrupted) {
  const auto profile = CpuProfile::start();
  ASSERT_TRUE(profile);
  EXPECT_NE(work(**profile, 10), 0u);
  const File file = read((*profile)->finish());
  const auto begin = reinterpret_cast<std::uintptr_t>(&work);
  std::uintptr_t samples = 0, inside = 0;
  for (const Sample& s : file.samples) {
    samples += s.count;
    if (!s.calls.empty() && s.calls[0] >= begin && s.calls[0] < begin + 4096) inside += s.count;
  }
  EXPECT_GE(inside, samples / 2);
}

TEST(CpuProfile, CanBeMadeAgainAndDropped) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(CpuProfile::start());
  const auto last = CpuProfile::start();
  ASSERT_TRUE(last);
  const File empty = read((*last)->finish());
  EXPECT_TRUE(empty.has_trailer);
}

}  // namespace
}  // namespace thrum::profile
