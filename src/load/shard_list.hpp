// The shards of an attack: some from the beginning, others that join while it goes on. Whoever looks through the list meanwhile, a signal
// handler too, sees those that are ready.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "load/shard.hpp"

namespace thrum::load {

class ShardList {
 public:
  static constexpr std::uint32_t kMost = 256;

  ShardList() : all_(kMost) {}

  // By one thread at a time; fewer than kMost are in it.
  void add(std::unique_ptr<Shard> shard) {
    const std::uint32_t n = size();
    all_[n] = std::move(shard);
    count_.store(n + 1, std::memory_order_release);
  }

  std::uint32_t size() const { return count_.load(std::memory_order_acquire); }
  Shard& operator[](std::uint32_t k) const { return *all_[k]; }
  const std::unique_ptr<Shard>* begin() const { return all_.data(); }
  const std::unique_ptr<Shard>* end() const { return all_.data() + size(); }

 private:
  std::vector<std::unique_ptr<Shard>> all_;  // never grows
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace thrum::load
