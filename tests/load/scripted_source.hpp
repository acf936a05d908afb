// A target source for tests: yields what it is told to, counts, can be made to wait, and never reads a file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "thrum/target.hpp"

namespace thrum::load {

inline Target target_of(std::string url, std::string method = "GET") { return {std::move(method), std::move(url), {}, nullptr}; }

class ScriptedSource final : public TargetSource {
 public:
  // `make(i)` is target i; none: the end of the stream, or an error.
  using Make = std::function<Expected<std::optional<Target>>(std::uint64_t i)>;
  explicit ScriptedSource(Make make, std::uint64_t waits_at = UINT64_MAX) : make_(std::move(make)), waits_at_(waits_at) {}

  Expected<bool> next(Target& into) override {
    std::unique_lock lock(mutex_);
    if (yielded_ >= waits_at_) {
      is_waiting_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return is_interrupted_ || yielded_ < waits_at_; });
      is_waiting_ = false;
    }
    if (is_interrupted_) return false;
    auto made = make_(yielded_);
    if (!made) return std::unexpected(made.error());
    if (!*made) return false;
    into = std::move(**made);
    ++yielded_;
    changed_.notify_all();
    return true;
  }

  void interrupt() override {
    const std::lock_guard lock(mutex_);
    is_interrupted_ = true;
    changed_.notify_all();
  }

  // From the test's thread.
  void let_go_until(std::uint64_t waits_at) {
    const std::lock_guard lock(mutex_);
    waits_at_ = waits_at;
    changed_.notify_all();
  }
  void await_waiting() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_waiting_; });
  }
  void await_yielded(std::uint64_t n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this, n] { return yielded_ >= n; });
  }
  std::uint64_t yielded() const {
    const std::lock_guard lock(mutex_);
    return yielded_;
  }
  bool is_interrupted() const {
    const std::lock_guard lock(mutex_);
    return is_interrupted_;
  }

 private:
  Make make_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t yielded_ = 0;
  std::uint64_t waits_at_;
  bool is_waiting_ = false, is_interrupted_ = false;
};

}  // namespace thrum::load
