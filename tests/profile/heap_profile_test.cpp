// The hooks are called by hand: no allocation function is replaced here.
#include "profile/heap_profile.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <sstream>
#include <thread>
#include <vector>

namespace thrum::profile {
namespace {

struct Figures {
  std::uint64_t peak_count = 0, peak_bytes = 0, all_count = 0, all_bytes = 0;
};

struct File {
  Figures head;
  std::vector<Figures> places;
  bool has_maps = false;
};

Figures read_figures(const std::string& line) {
  Figures f;
  EXPECT_EQ(std::sscanf(line.c_str(), "%lu: %lu [%lu: %lu] @", &f.peak_count, &f.peak_bytes, &f.all_count, &f.all_bytes), 4) << line;
  return f;
}

File read(const std::string& text) {
  File file;
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  EXPECT_THAT(line, testing::StartsWith("heap profile: "));
  EXPECT_THAT(line, testing::EndsWith("] @ heap_v2/65536"));
  file.head = read_figures(line.substr(line.find(": ") + 2));
  while (std::getline(in, line) && !line.empty()) {
    EXPECT_THAT(line, testing::HasSubstr("] @ 0x"));
    file.places.push_back(read_figures(line));
  }
  std::getline(in, line);
  EXPECT_EQ(line, "MAPPED_LIBRARIES:");
  std::getline(in, line);
  file.has_maps = !line.empty();
  return file;
}

void* address(std::uint64_t n) { return reinterpret_cast<void*>(0x10000 + n * 64); }

// The scale is pprof's: a sample of `size` stands for size / (1 - e^(-size / period)) bytes.
[[gnu::noinline]] void allocate(std::uint64_t first, std::uint64_t count, std::size_t size) {
  for (std::uint64_t i = 0; i < count; ++i) HeapProfile::allocated(address(first + i), size, __builtin_return_address(0));
}
[[gnu::noinline]] void release(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) HeapProfile::freed(address(first + i));
}

TEST(HeapProfile, NotesAnAllocationIn64KiB) {
  HeapProfile::start();
  allocate(0, 100'000, 1024);  // 100 MB: some 1,560 notes
  const File file = read(HeapProfile::finish());
  EXPECT_GT(file.head.all_count, 1'300u);
  EXPECT_LT(file.head.all_count, 1'800u);
  EXPECT_EQ(file.head.all_bytes, file.head.all_count * 1024);
  ASSERT_EQ(file.places.size(), 1u) << "one place allocates";
  EXPECT_EQ(file.places[0].all_count, file.head.all_count);
  EXPECT_TRUE(file.has_maps);
}

TEST(HeapProfile, LargeOnesAreAllNoted) {
  HeapProfile::start();
  allocate(0, 10, 16 << 20);
  const File file = read(HeapProfile::finish());
  EXPECT_EQ(file.head.all_count, 10u);
  EXPECT_EQ(file.head.peak_bytes, std::uint64_t{10} * (16 << 20));
}

TEST(HeapProfile, InUseIsThatOfThePeak) {
  HeapProfile::start();
  allocate(0, 20'000, 4096);
  release(0, 20'000);
  allocate(50'000, 1'000, 4096);
  release(50'000, 1'000);
  const File file = read(HeapProfile::finish());
  EXPECT_GT(file.head.peak_count, 1'000u);
  EXPECT_LE(file.head.peak_count, file.head.all_count);
  EXPECT_GT(file.head.all_count, file.head.peak_count);
}

// What is freed is forgotten, or the same address would count twice: with as much freed as allocated the peak stays low.
TEST(HeapProfile, WhatIsFreedIsForgotten) {
  HeapProfile::start();
  for (int i = 0; i < 100; ++i) {
    allocate(0, 2'000, 1024);
    release(0, 2'000);
  }
  const File file = read(HeapProfile::finish());
  EXPECT_GT(file.head.all_count, 2'500u);
  EXPECT_LT(file.head.peak_count, 100u);  // 2 MB at once: some 32 notes
}

TEST(HeapProfile, TablesThatAreFullLoseNotesAndNothingElse) {
  HeapProfile::start();
  allocate(0, 40'000, 1 << 20);  // all noted, as far as there is room
  release(0, 40'000);
  allocate(0, 10, 1 << 20);
  const File file = read(HeapProfile::finish());
  EXPECT_EQ(file.head.all_count, (1u << 15) + 10);
}

TEST(HeapProfile, ThreadsNoteAtOnce) {
  HeapProfile::start();
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 20; ++i) {
        allocate(t * 10'000, 5'000, 1024);
        release(t * 10'000, 5'000);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  const File file = read(HeapProfile::finish());
  EXPECT_GT(file.head.all_count, 5'000u);  // of 400 MB: some 6,250
  EXPECT_LT(file.head.all_count, 7'500u);
}

TEST(HeapProfile, SwitchedOffItNotesNothing) {
  HeapProfile::start();
  HeapProfile::finish();
  allocate(0, 10, 16 << 20);
  EXPECT_EQ(read(HeapProfile::finish()).head.all_count, 0u);
}

}  // namespace
}  // namespace thrum::profile
