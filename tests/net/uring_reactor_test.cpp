// What is io_uring's own: too few buffers, a full ring, a machine that has none.
#include "net/uring_reactor.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <thread>

#include "socket_pair.hpp"
#include "system_calls.hpp"

namespace thrum::net {
namespace {

class UringReactorTest : public testing::Test {
 protected:
  void SetUp() override {
    if (auto made = Reactor::create(Io::uring); !made) GTEST_SKIP() << made.error().text;
  }
  std::unique_ptr<Reactor> make(const UringReactor::Sizes& sizes) {
    auto made = UringReactor::create(sizes);
    EXPECT_TRUE(made) << made.error().text;
    return std::move(*made);
  }

  HookedCalls hooks;
};

// Every socket's bytes come whole and in order, whoever lacks a buffer meanwhile.
TEST_F(UringReactorTest, FewBuffersServeManySockets) {
  UringReactor::Sizes sizes;
  sizes.buffers = {.bytes = 512, .fewest = 1, .most = 4};
  const auto reactor = make(sizes);
  constexpr int kSockets = 40;
  std::deque<Pair> pairs(kSockets);
  std::deque<Log> logs(kSockets);
  std::string all;
  for (int i = 0; i < 20'000; ++i) all += static_cast<char>('a' + i % 23);
  for (int i = 0; i < kSockets; ++i) logs[i].id = reactor->adopt(std::move(pairs[i].near), logs[i], false);
  for (const Pair& pair : pairs) pair.say(all);
  const Instant limit = now() + std::chrono::seconds(20);
  while (!std::ranges::all_of(logs, [&](const Log& log) { return log.bytes.size() == all.size(); }) && now() < limit) reactor->wait(limit);
  for (const Log& log : logs) EXPECT_TRUE(log.bytes == all) << log.bytes.size();
}

// More is queued, and more comes, than the rings have room for.
TEST_F(UringReactorTest, SmallRingsLoseNothing) {
  UringReactor::Sizes sizes;
  sizes.ring = {.entries = 2, .completions = 4};
  const auto reactor = make(sizes);
  constexpr int kSockets = 100;
  std::deque<Pair> pairs(kSockets);
  std::deque<Log> logs(kSockets);
  for (int i = 0; i < kSockets; ++i) {
    pairs[i].say(std::to_string(i));
    logs[i].id = reactor->adopt(std::move(pairs[i].near), logs[i], false);
  }
  const Instant limit = now() + std::chrono::seconds(20);
  while (!std::ranges::none_of(logs, [](const Log& log) { return log.bytes.empty(); }) && now() < limit) reactor->wait(limit);
  for (int i = 0; i < kSockets; ++i) EXPECT_EQ(logs[i].bytes, std::to_string(i));
  for (const Log& log : logs) reactor->close(log.id);
  for (const Pair& pair : pairs) {
    char c;
    EXPECT_EQ(::read(pair.far.get(), &c, 1), 0);
  }
}

// A descriptor that was closed is nobody else's before the kernel is told, so what is queued for the one does not reach the other.
TEST_F(UringReactorTest, ANumberIsNotUsedAgainWhileEntriesNameIt) {
  const auto reactor = make({});
  Pair first;
  Log log;
  log.id = reactor->adopt(std::move(first.near), log, false);
  const int number = reactor->descriptor(log.id);
  reactor->close(log.id);
  Pair second;
  EXPECT_NE(second.near.get(), number);
  EXPECT_NE(second.far.get(), number);
  reactor->wait(Instant::min());
  char c;
  EXPECT_EQ(::read(first.far.get(), &c, 1), 0);
}

TEST_F(UringReactorTest, WhereThereIsNoneAutomaticIsEpollAndAskingForItSaysWhy) {
  const std::pair<int, const char*> cases[] = {
      {ENOSYS, "io_uring: this kernel has none; Linux 6.1 or newer does"},
      {EINVAL, "io_uring: this kernel's is too old; it takes Linux 6.1 or newer"},
      {EPERM, "io_uring: forbidden here, by a container's seccomp profile or by sysctl kernel.io_uring_disabled"},
      {ENOMEM, "io_uring: Cannot allocate memory"},
  };
  for (const auto& [error, words] : cases) {
    system_calls.uring_setup = [error = error] { return std::optional<int>(-error); };
    const auto asked = Reactor::create(Io::uring);
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().text, words);
    const auto any = Reactor::create(Io::automatic);
    ASSERT_TRUE(any);
    EXPECT_EQ((*any)->io(), Io::epoll);
  }
}

}  // namespace
}  // namespace thrum::net
