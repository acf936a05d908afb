#include "http/http2_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace thrum::http {
namespace {

bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % alignof(std::max_align_t) == 0; }

constexpr std::size_t kSizes[] = {0, 1, 15, 16, 17, 31, 32, 48, 49, 500, 991, 992, 1007, 1008, 1009, 1024, 5000, 100'000};

TEST(Http2Memory, PiecesOfAllSizesAreApart) {
  Http2Memory memory;
  std::vector<std::pair<char*, std::size_t>> pieces;
  for (int round = 0; round < 200; ++round) {
    for (const std::size_t size : kSizes) {
      auto* p = static_cast<char*>(memory.take(size));
      ASSERT_TRUE(is_aligned(p));
      std::memset(p, static_cast<int>(pieces.size() % 251), size);
      pieces.emplace_back(p, size);
    }
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto [p, size] = pieces[i];
    for (std::size_t at = 0; at < size; ++at) ASSERT_EQ(static_cast<unsigned char>(p[at]), i % 251);
    memory.give_back(p);
  }
}

TEST(Http2Memory, WhatWasGivenBackIsTakenAgain) {
  Http2Memory memory;
  for (int round = 0; round < 10'000; ++round) {
    std::vector<void*> taken;
    for (const std::size_t size : kSizes) taken.push_back(memory.take(size));
    for (void* p : taken) memory.give_back(p);
  }
  EXPECT_EQ(memory.held(), 64u * 1024);
  memory.give_back(nullptr);
}

TEST(Http2Memory, PiecesKeepWhatTheyHoldWhenTheyGrow) {
  Http2Memory memory;
  for (const std::size_t from : kSizes) {
    for (const std::size_t to : kSizes) {
      auto* p = static_cast<char*>(memory.resize(nullptr, from));
      std::memset(p, 'x', from);
      p = static_cast<char*>(memory.resize(p, to));
      ASSERT_TRUE(is_aligned(p));
      for (std::size_t i = 0; i < std::min(from, to); ++i) ASSERT_EQ(p[i], 'x') << from << " to " << to;
      std::memset(p, 'y', to);
      memory.give_back(p);
    }
  }
}

}  // namespace
}  // namespace thrum::http
