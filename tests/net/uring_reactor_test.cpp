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

// Small sends of one socket, and what its peer has of them.
class SmallSends : public UringReactorTest {
 protected:
  void SetUp() override {
    UringReactorTest::SetUp();
    if (IsSkipped()) return;
    reactor = make({});
    log.id = reactor->adopt(std::move(pair.near), log, false);
    reactor->wait(Instant::min());  // from now on small sends wait for the next turn
  }
  // What has come; "$" is the end.
  std::string heard() {
    std::string all;
    char part[4096];
    ssize_t n;
    while ((n = ::recv(pair.far.get(), part, sizeof part, MSG_DONTWAIT)) > 0) all.append(part, static_cast<std::size_t>(n));
    return n == 0 ? all + "$" : all;
  }
  Pair pair;
  Log log;
  std::unique_ptr<Reactor> reactor;
};

TEST_F(SmallSends, LeaveTogetherWithTheNextTurn) {
  Pair other;
  Log other_log;
  other_log.id = reactor->adopt(std::move(other.near), other_log, false);
  EXPECT_EQ(reactor->send(log.id, std::string_view("he"), std::string_view("ad ")).state, SendOutcome::State::done);
  EXPECT_EQ(reactor->send(log.id, std::string_view("more")).state, SendOutcome::State::done) << "added to what was queued last";
  EXPECT_EQ(reactor->send(other_log.id, std::string_view("other")).state, SendOutcome::State::done);
  EXPECT_EQ(heard(), "");
  EXPECT_EQ(reactor->send(log.id, std::string_view(", late")).state, SendOutcome::State::pending) << "another stands between";
  reactor->shutdown_write(log.id);
  reactor->wait(Instant::min());
  EXPECT_EQ(heard(), "head more, late$");
  EXPECT_THAT(log.lines, testing::ElementsAre("sent"));
  EXPECT_EQ(reactor->bytes().out, 9u + 6u + 5u);
}

TEST_F(SmallSends, TheFinFollowsThem) {
  reactor->send(log.id, std::string_view("bye"));
  reactor->shutdown_write(log.id);
  reactor->wait(Instant::min());
  EXPECT_EQ(heard(), "bye$");
  EXPECT_THAT(log.lines, testing::IsEmpty());
}

TEST_F(SmallSends, LeaveBeforeTheSocketIsClosed) {
  reactor->send(log.id, std::string_view("bye"));
  reactor->close(log.id);
  EXPECT_EQ(heard(), "bye$");
}

// The socket takes a part of one, and nothing of the next: no byte is lost, doubled or moved.
TEST_F(SmallSends, WhatTheKernelDidNotTakeFollows) {
  const int small = 4096;
  setsockopt(reactor->descriptor(log.id), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  std::string said, got;
  for (int i = 0; !reactor->is_sending(log.id); ++i) {
    ASSERT_LT(i, 100'000);
    const std::string piece = std::to_string(i) + std::string(997, '.');
    reactor->send(log.id, piece);
    said += piece;
    reactor->wait(Instant::min());
  }
  const Instant limit = now() + std::chrono::seconds(20);
  while (got.size() < said.size() && now() < limit) {
    got += heard();
    reactor->wait(now() + std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(got == said) << got.size() << " of " << said.size();
  EXPECT_FALSE(reactor->is_sending(log.id));
  EXPECT_EQ(reactor->bytes().out, said.size());
  EXPECT_THAT(log.lines, testing::IsEmpty()) << "nobody was promised on_sent()";
}

TEST_F(SmallSends, OneThatBreaksEndsTheSocket) {
  pair.far.reset();
  const Instant limit = now() + std::chrono::seconds(20);
  while (log.lines.empty() && now() < limit) reactor->wait(limit);
  ASSERT_THAT(log.lines, testing::ElementsAre("end 0"));
  while (log.lines.size() < 2 && now() < limit) {  // the first is answered by a reset
    reactor->send(log.id, std::string_view("anybody?"));
    reactor->wait(now() + std::chrono::milliseconds(10));
  }
  EXPECT_THAT(log.lines[1], testing::AnyOf("end " + std::to_string(EPIPE), "end " + std::to_string(ECONNRESET)));
}

TEST_F(SmallSends, MoreThanThereIsRoomForGoAtOnce) {
  std::deque<Pair> pairs(40);
  std::deque<Log> logs(pairs.size());
  const std::string each(3000, 'e');  // twice what is kept for a turn
  for (std::size_t i = 0; i < pairs.size(); ++i) logs[i].id = reactor->adopt(std::move(pairs[i].near), logs[i], false);
  for (const Log& l : logs) EXPECT_EQ(reactor->send(l.id, each).state, SendOutcome::State::done);
  reactor->wait(Instant::min());
  for (Pair& p : pairs) {
    pair.far = std::move(p.far);
    EXPECT_EQ(heard(), each);
  }
}

// Bodies that nobody wants: what comes after them is handed out, whatever the pieces.
TEST_F(UringReactorTest, LargeBodiesAreDroppedAndWhatFollowsIsNot) {
  const auto reactor = make({});
  Pair pair;
  Log log;
  log.id = reactor->adopt(std::move(pair.near), log, false);
  const std::string body(300'000, 'b');
  const Instant limit = now() + std::chrono::seconds(20);
  for (int i = 0; i < 5; ++i) {
    const std::string head = "head" + std::to_string(i);
    log.when_received = [&] {
      if (log.bytes.ends_with(head + "bbb")) reactor->skip(log.id, body.size() - 3);
    };
    std::thread peer([&] {
      pair.say(head + "bbb");
      const Instant then = now() + std::chrono::milliseconds(5);
      while (now() < then) std::this_thread::yield();
      pair.say(body.substr(3));
    });
    const std::size_t before = log.skipped;
    while (log.skipped - before < body.size() - 3 && now() < limit) reactor->wait(limit);
    peer.join();
    EXPECT_EQ(log.skipped - before, body.size() - 3);
  }
  EXPECT_EQ(log.bytes, "head0bbbhead1bbbhead2bbbhead3bbbhead4bbb");
  pair.far = Fd();
  while (log.lines.back() != "end 0" && now() < limit) reactor->wait(limit);
  EXPECT_EQ(log.lines.back(), "end 0");
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
