#include "load/feeder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <new>
#include <system_error>

#include "base/duration.hpp"

namespace thrum::load {
namespace {

std::int64_t weight(const Request& r) {
  return static_cast<std::int64_t>(sizeof(Request) + r.prepared.head.size() + r.prepared.proxied_head.size() + r.prepared.http2.bytes() +
                                   r.prepared.url_text.size() + r.name.size() + r.prepared.body_bytes().size());
}

}  // namespace

Feeder::Feeder(Plan& plan, std::unique_ptr<TargetSource> source, http::RequestDefaults defaults, std::uint32_t shards)
    : plan_(plan), source_(std::move(source)), defaults_(std::move(defaults)) {
  for (std::uint32_t i = 0; i < shards; ++i) lanes_.push_back(std::make_unique<Lane>());
}

Feeder::~Feeder() {
  stop();
  for (auto& lane : lanes_) {
    const Request* left = nullptr;
    while (lane->ring.pop(left)) delete left;
  }
}

Expected<std::unique_ptr<Request>> Feeder::next() {
  Target target;
  const auto more = source_->next(target);
  if (!more) return std::unexpected(more.error());
  if (!*more) return std::unique_ptr<Request>();
  auto prepared = http::prepare(target, defaults_);
  if (!prepared) return std::unexpected(prepared.error());
  auto request = std::make_unique<Request>();
  request->prepared = std::move(*prepared);
  request->name = std::move(target.name);
  auto expectation = plan_.expectations.target(target.expect);
  if (!expectation) return std::unexpected(expectation.error());
  request->expectation = std::move(*expectation);
  set_route(*request, plan_.routes.intern(request->prepared.url));
  request->is_owned = true;
  return request;
}

Expected<void> Feeder::start(std::function<void(std::uint32_t)> wake) {
  wake_ = std::move(wake);
  try {
    thread_ = std::thread([this] { read(); });
  } catch (const std::system_error& e) {
    return failure(fmt::format("can't start a thread to read targets: {}", e.code().message()));
  }
  return {};
}

Expected<bool> Feeder::await_first(Nanos limit) {
  std::unique_lock lock(mutex_);
  const auto known = [this] { return has_first_ || done_.load(std::memory_order_acquire); };
  if (limit == Nanos::max()) {
    first_.wait(lock, known);
  } else if (!first_.wait_for(lock, limit, known)) {
    lock.unlock();
    stop();
    return failure(fmt::format("no target came within {}, the attack's whole duration", format_duration(limit)));
  }
  if (!has_first_ && error_) return std::unexpected(*error_);
  return has_first_;
}

void Feeder::announce_first() {
  const std::lock_guard lock(mutex_);
  has_first_ = true;
  first_.notify_all();
}

void Feeder::stop() {
  stopping_.store(true);
  source_->interrupt();
  room_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Feeder::read() {
  try {
    for (bool is_first = true; !stopping_.load(std::memory_order_relaxed); is_first = false) {
      auto request = next();
      if (!request) {
        error_ = std::move(request.error());
        break;
      }
      if (*request == nullptr || !deal(request->release())) break;
      if (is_first) announce_first();
    }
  } catch (const std::bad_alloc&) {
    error_ = Error{ErrorKind::failure, "out of memory while reading targets"};
  }
  {
    const std::lock_guard lock(mutex_);
    done_.store(true, std::memory_order_release);
    first_.notify_all();
  }
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) wake_(i);
}

bool Feeder::deal(const Request* request) {
  Lane& lane = *lanes_[turn_];
  const std::int64_t bytes = weight(*request);
  while (lane.ring.size() == lane.ring.capacity() ||
         (waiting_bytes_.load(std::memory_order_relaxed) > kMostBytes && lane.ring.size() > 0)) {
    if (stopping_.load()) {
      delete request;
      return false;
    }
    std::unique_lock lock(mutex_);
    full_.store(true);
    // The bound on the wait covers the moment between looking and sleeping.
    room_.wait_for(lock, std::chrono::milliseconds(2));
  }
  full_.store(false, std::memory_order_relaxed);
  waiting_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  lane.ring.push(request);
  if (lane.hungry.exchange(false)) wake_(turn_);
  turn_ = (turn_ + 1) % static_cast<std::uint32_t>(lanes_.size());
  return true;
}

const Request* Feeder::take(std::uint32_t shard) {
  Lane& lane = *lanes_[shard];
  const Request* request = nullptr;
  if (!lane.ring.pop(request)) {
    lane.hungry.store(true);
    if (!lane.ring.pop(request)) return nullptr;  // looked again: one may have come before the flag was seen
    lane.hungry.store(false);
  }
  waiting_bytes_.fetch_sub(weight(*request), std::memory_order_relaxed);
  if (full_.load(std::memory_order_relaxed) && lane.ring.size() <= kSlots / 2) room_.notify_one();
  return request;
}

bool Feeder::is_dry(std::uint32_t shard) const { return done_.load(std::memory_order_acquire) && lanes_[shard]->ring.size() == 0; }

}  // namespace thrum::load
