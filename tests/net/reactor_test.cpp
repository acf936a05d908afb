// Both reactors on loopback sockets: what arrives, in what order, and what handlers may do meanwhile. What is of one of them
// alone: the end of this file, and uring_reactor_test.cpp.
#include "net/reactor.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "net/socket.hpp"
#include "peers.hpp"
#include "socket_pair.hpp"
#include "system_calls.hpp"

namespace thrum::net {
namespace {

using State = SendOutcome::State;

class ReactorTest : public testing::TestWithParam<Io> {
 protected:
  explicit ReactorTest(Io io = GetParam()) : io_(io) {}
  void SetUp() override {
    auto made = Reactor::create(io_);
    if (!made && io_ == Io::uring) GTEST_SKIP() << made.error().text;
    ASSERT_TRUE(made) << made.error().text;
    reactor = std::move(*made);
    ASSERT_EQ(reactor->io(), io_);
  }

  SocketId adopt(Pair& pair, Log& log, bool connecting = false) { return log.id = reactor->adopt(std::move(pair.near), log, connecting); }
  void turn() { reactor->wait(now() + std::chrono::seconds(10)); }
  void look() { reactor->wait(Instant::min()); }
  void turn_until(const std::function<bool()>& done) {
    const Instant limit = now() + std::chrono::seconds(10);
    while (!done()) {
      ASSERT_LT(now(), limit);
      reactor->wait(limit);
    }
  }

  NetworkOptions network_options() const {
    NetworkOptions options;
    options.io = io_;
    return options;
  }

  const Io io_;
  HookedCalls hooks;
  std::unique_ptr<Reactor> reactor;
};

struct EpollReactorTest : ReactorTest {
  EpollReactorTest() : ReactorTest(Io::epoll) {}
};

INSTANTIATE_TEST_SUITE_P(Over, ReactorTest, testing::Values(Io::epoll, Io::uring),
                         [](const auto& i) { return i.param == Io::epoll ? "epoll" : "uring"; });

TEST_P(ReactorTest, DataThatCameWithTheFinIsFollowedByTheEnd) {
  Pair pair;
  Log log;
  pair.say("bye");
  pair.far.reset();
  pair.await(POLLRDHUP);
  adopt(pair, log);
  turn_until([&] { return log.lines.size() == 2; });
  EXPECT_THAT(log.lines, testing::ElementsAre("received 3", "end 0"));
}

TEST_P(ReactorTest, AFinThatComesLaterIsSeen) {
  Pair pair;
  Log log;
  adopt(pair, log);
  pair.say("a");
  turn_until([&] { return log.bytes == "a"; });
  pair.far.reset();
  turn_until([&] { return log.saw("end 0"); });
}

TEST_P(ReactorTest, DataBeforeAResetIsFollowedByTheError) {
  Pair pair;
  Log log;
  pair.say("oops");
  pair.await(POLLIN);
  pair.reset();
  adopt(pair, log);
  turn_until([&] { return log.lines.size() == 2; });
  EXPECT_THAT(log.lines, testing::ElementsAre("received 4", "end " + std::to_string(ECONNRESET)));
}

TEST_P(ReactorTest, SkipCountsAndStopsWhereItShould) {
  Pair pair;
  Log log;
  adopt(pair, log);
  log.when_received = [&] {
    if (log.bytes == "head") reactor->skip(log.id, 100'000);
  };
  pair.say("head");
  turn_until([&] { return log.bytes == "head"; });
  std::string rest(100'000, 'x');
  std::thread far([&] { pair.say(rest + "tail"); });
  turn_until([&] { return log.bytes == "headtail"; });
  far.join();
  EXPECT_EQ(log.skipped, 100'000u);
}

TEST_P(ReactorTest, SkipAddsUpAndEndsWithTheFin) {
  Pair pair;
  Log log;
  pair.say("12345678");
  pair.far.reset();
  pair.await(POLLRDHUP);
  adopt(pair, log);
  reactor->skip(log.id, 5);
  reactor->skip(log.id, 50);
  turn_until([&] { return log.lines.size() == 2; });
  EXPECT_THAT(log.lines, testing::ElementsAre("skipped 8", "end 0"));
}

TEST_P(ReactorTest, SkipOfExactlyAllLeavesTheNextBytesToBeReceived) {
  Pair pair;
  Log log;
  pair.say("123ab");
  pair.await(POLLIN);
  adopt(pair, log);
  reactor->skip(log.id, 3);
  turn_until([&] { return log.lines.size() == 2; });
  EXPECT_THAT(log.lines, testing::ElementsAre("skipped 3", "received 2"));
}

// The head is copied as far as it does not leave at once, the body is not; both arrive whole.
TEST_P(ReactorTest, ASendThatDoesNotFitIsFinishedLater) {
  for (const auto& [head_size, body_size] : {std::pair{8'000'000, 0}, {100, 8'000'000}, {4'000'000, 4'000'000}}) {
    Pair pair;
    Log log;
    adopt(pair, log);
    look();  // epoll's first edge: writable
    std::string head, body, got;
    for (int i = 0; i < head_size; ++i) head += static_cast<char>('a' + i % 26);
    for (int i = 0; i < body_size; ++i) body += static_cast<char>('A' + i % 23);
    const std::string all = head + body;
    ASSERT_EQ(reactor->send(log.id, span_of(head), span_of(body)).state, State::pending);
    EXPECT_TRUE(reactor->is_sending(log.id));
    std::ranges::fill(head, '?');
    reactor->shutdown_write(log.id);
    int turns = 0;
    system_calls.send = [&](int) -> std::optional<ssize_t> {
      if (++turns % 3 != 0) return std::nullopt;
      errno = EINTR;
      return -1;
    };
    std::thread far([&] {
      char part[50'000];
      for (ssize_t n; (n = ::read(pair.far.get(), part, sizeof part)) > 0;) got.append(part, static_cast<std::size_t>(n));
    });
    turn_until([&] { return log.saw("sent"); });
    EXPECT_FALSE(reactor->is_sending(log.id));
    far.join();  // it ends with the FIN that shutdown_write() asked for
    system_calls = {};
    EXPECT_TRUE(got == all) << got.size();
    EXPECT_EQ(std::ranges::count(log.lines, "sent"), 1);
    reactor->close(log.id);
  }
}

TEST_P(ReactorTest, SendIsTriedAgainAfterEintr) {
  Pair pair;
  Log log;
  adopt(pair, log);
  system_calls.send = fail_with(EINTR, 3);
  EXPECT_EQ(reactor->send(log.id, span_of("x")).state, State::done);
  system_calls.recv = fail_with(EINTR, 3);
  pair.say("y");
  turn_until([&] { return log.bytes == "y"; });
}

// A server may answer and close while it is still being sent to: the answer counts.
TEST_P(ReactorTest, WhatCameBeforeASendBrokeIsHandedOutFirst) {
  for (const bool at_once : {true, false}) {
    Pair pair;
    Log log;
    const std::string much(8'000'000, 'x');
    adopt(pair, log);
    look();
    if (at_once) {
      pair.say("413");
      ::shutdown(pair.far.get(), SHUT_WR);  // what the kernel tells afterwards is an end in good order
      pollfd ended{reactor->descriptor(log.id), POLLRDHUP, 0};
      ASSERT_EQ(::poll(&ended, 1, 10'000), 1);
      system_calls.send = fail_with(EPIPE);
      EXPECT_EQ(reactor->send(log.id, span_of(much)).error, EPIPE);
    } else {
      ASSERT_EQ(reactor->send(log.id, {}, span_of(much)).state, State::pending);
      system_calls.send = fail_with(EPIPE);
      pair.say("413");
      std::string drained(6'000'000, ' ');
      pollfd ready{pair.far.get(), POLLIN, 0};
      for (std::size_t n = 0; n < 2'000'000 && ::poll(&ready, 1, 10'000) == 1;)
        n += static_cast<std::size_t>(std::max<ssize_t>(0, ::read(pair.far.get(), drained.data(), drained.size())));
    }
    turn_until([&] { return log.saw("end " + std::to_string(EPIPE)); });
    EXPECT_EQ(log.bytes, "413");
    EXPECT_EQ(log.lines.back(), "end " + std::to_string(EPIPE));
    EXPECT_FALSE(log.saw("end 0"));
    reactor->close(log.id);
    system_calls = {};
  }
}

TEST_P(ReactorTest, ARefusedSendWithoutAnyEventStillEnds) {
  Pair pair;
  Log log;
  adopt(pair, log);
  look();
  system_calls.send = fail_with(ENOBUFS);
  const std::string large(10'000, 'x');  // small ones leave later with io_uring
  EXPECT_EQ(reactor->send(log.id, large).error, ENOBUFS);
  EXPECT_TRUE(log.lines.empty());
  turn_until([&] { return !log.lines.empty(); });
  EXPECT_THAT(log.lines, testing::ElementsAre("end " + std::to_string(ENOBUFS)));
}

TEST_P(ReactorTest, AfterTheFinSendingGoesOnAndItsBreakingIsTold) {
  Pair pair;
  Log log;
  adopt(pair, log);
  look();
  ::shutdown(pair.far.get(), SHUT_WR);
  turn_until([&] { return log.saw("end 0"); });
  EXPECT_EQ(reactor->send(log.id, span_of("x")).state, State::done);
  const std::string much(8'000'000, 'x');
  ASSERT_EQ(reactor->send(log.id, span_of(much)).state, State::pending);
  pair.reset();
  turn_until([&] { return log.lines.size() == 2; });
  EXPECT_THAT(log.lines[1], testing::AnyOf("end " + std::to_string(EPIPE), "end " + std::to_string(ECONNRESET)));
  look();
  EXPECT_EQ(log.lines.size(), 2u);
  EXPECT_FALSE(reactor->is_sending(log.id));
}

TEST_P(ReactorTest, APausedSocketIsReadWhenItGoesOn) {
  Pair pair;
  Log log;
  adopt(pair, log);
  look();
  reactor->pause(log.id);
  pair.say("held");
  pair.far.reset();
  look();
  look();
  EXPECT_TRUE(log.lines.empty());
  reactor->resume(log.id);
  turn_until([&] { return log.saw("end 0"); });
  EXPECT_THAT(log.lines, testing::ElementsAre("received 4", "end 0"));
}

TEST_P(ReactorTest, PausingWithinACallHoldsWhatFollows) {
  Pair pair;
  Log log;
  log.when_received = [&] { reactor->pause(log.id); };
  const std::string much(200'000, 'x');
  std::thread far([&] { pair.say(much); });
  adopt(pair, log);
  turn_until([&] { return !log.bytes.empty(); });
  const std::size_t first = log.bytes.size();
  far.join();
  look();
  EXPECT_EQ(log.bytes.size(), first);
  log.when_received = {};
  reactor->resume(log.id);
  reactor->resume(log.id);
  turn_until([&] { return log.bytes.size() == much.size(); });
}

TEST_P(ReactorTest, AHandlerMayCloseItsSocketFromAnyCall) {
  for (const std::string when : {"received", "skipped", "end", "sent", "connected"}) {
    Pair pair;
    Log log;
    const auto close = [&] { reactor->close(log.id); };
    if (when == "received") log.when_received = close;
    if (when == "skipped") log.when_skipped = close;
    if (when == "end") log.when_end = close;
    if (when == "sent") log.when_sent = close;
    if (when == "connected") log.when_connected = close;
    pair.say("1234");
    ::shutdown(pair.far.get(), SHUT_WR);
    pair.await(POLLRDHUP);
    adopt(pair, log, when == "connected");
    if (when == "skipped") reactor->skip(log.id, 2);
    const std::string much(8'000'000, 'x');
    if (when == "sent") {
      reactor->pause(log.id);
      ASSERT_EQ(reactor->send(log.id, {}, span_of(much)).state, State::pending);
    }
    std::thread far([&] {
      char part[50'000];
      while (::read(pair.far.get(), part, sizeof part) > 0) {
      }
    });
    turn_until([&] { return reactor->descriptor(log.id) < 0; });
    far.join();
    EXPECT_TRUE(log.lines.back().starts_with(when)) << log.lines.back();
    EXPECT_FALSE(reactor->is_sending(log.id));
    EXPECT_EQ(reactor->send(log.id, span_of("x")).state, State::failed);
    look();
    EXPECT_TRUE(log.lines.back().starts_with(when)) << "called after it was closed";
  }
}

// Two events of one batch: the first handler closes the other's socket, and its slot is taken anew at once.
TEST_P(ReactorTest, ALateEventDoesNotReachWhoTookTheSlot) {
  Pair a, b, c;
  Log first, second, third;
  int calls = 0;
  const auto replace = [&](Log& other) {
    if (++calls > 1) return;
    reactor->close(other.id);
    adopt(c, third);
    EXPECT_EQ(third.id.slot, other.id.slot);
  };
  first.when_received = [&] { replace(second); };
  second.when_received = [&] { replace(first); };
  a.say("a");
  b.say("b");
  a.await(POLLIN);
  b.await(POLLIN);
  adopt(a, first);
  adopt(b, second);
  look();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(third.lines.empty());
  const SocketId before = third.id == SocketId{first.id.slot, first.id.generation + 1} ? first.id : second.id;
  ASSERT_EQ(before.slot, third.id.slot);
  reactor->close(before);  // an old name: nobody's
  EXPECT_EQ(reactor->send(before, span_of("x")).state, State::failed);
  EXPECT_EQ(reactor->descriptor(before), -1);
  c.say("c");
  turn_until([&] { return third.bytes == "c"; });
  EXPECT_EQ(calls, 1);
}

// Of two refusals in one batch the first gives the other up, and takes its slot for a connection that is still on its way.
TEST_P(ReactorTest, ALateRefusalIsNotTakenForTheOutcomeOfAnother) {
  const auto refused = free_port(kV4);
  const auto full = listen_on(kV4, 0);
  ::listen(full->get(), 0);
  std::vector<Fd> fillers;
  for (int i = 0; i < 3; ++i) fillers.push_back(start_connect(kV4, local_port(full->get())).socket);
  Log a, b, on_its_way;
  const auto replace = [&](Log& other) {
    if (on_its_way.id.is_valid()) return;
    reactor->close(other.id);
    on_its_way.id = reactor->adopt(start_connect(kV4, local_port(full->get())).socket, on_its_way, true);
    EXPECT_EQ(on_its_way.id.slot, other.id.slot);
  };
  a.when_connected = [&] { replace(b); };
  b.when_connected = [&] { replace(a); };
  a.id = reactor->adopt(start_connect(kV4, refused).socket, a, true);
  b.id = reactor->adopt(start_connect(kV4, refused).socket, b, true);
  look();
  EXPECT_EQ(a.lines.size() + b.lines.size(), 1u);
  EXPECT_TRUE(on_its_way.lines.empty()) << on_its_way.lines[0];
}

// A connection given up before its outcome came, its slot taken by one that is connecting too.
TEST_P(ReactorTest, AnotherConnectionsOutcomeIsNotMistaken) {
  const auto refused = free_port(kV4);
  const auto listener = listen_on(kV4, 0);
  Log given_up, other;
  const SocketId first = reactor->adopt(start_connect(kV4, refused).socket, given_up, true);
  reactor->close(first);
  const SocketId second = reactor->adopt(start_connect(kV4, local_port(listener->get())).socket, other, true);
  EXPECT_EQ(first.slot, second.slot);
  turn_until([&] { return !other.lines.empty(); });
  EXPECT_EQ(other.lines[0], "connected 0");
  EXPECT_TRUE(given_up.lines.empty());
}

// The kernel always has more of one socket's bytes; another one's come in the same wake.
TEST_F(EpollReactorTest, AFastSenderDoesNotStarveTheOthers) {
  Pair fast, slow;
  Log much, little;
  std::size_t reads_before = 0;
  little.when_received = [&] { reads_before = much.lines.size(); };
  fast.say("x");
  slow.say("!");
  fast.await(POLLIN);
  slow.await(POLLIN);
  const int endless = fast.near.get();
  constexpr std::size_t kAll = 1'000;
  system_calls.recv = [&](int fd) -> std::optional<ssize_t> {
    if (fd != endless || much.lines.size() == kAll) return std::nullopt;
    return 64 * 1024;  // as much as is asked for
  };
  adopt(fast, much);
  adopt(slow, little);
  turn_until([&] { return much.lines.size() >= kAll; });
  EXPECT_EQ(little.bytes, "!");
  EXPECT_LE(reads_before, 16u);
}

TEST_P(ReactorTest, MoreConnectionsThanOneWakeTakesAreAllAccepted) {
  constexpr std::size_t kMany = 200;
  const auto own = make_network(network_options());
  Server server(*own, kV4);
  std::vector<Fd> clients;
  for (std::size_t i = 0; i < kMany; ++i) clients.push_back(start_connect(kV4, server.port).socket);
  run_until(*own, [&] { return server.peers.size() == kMany; });
}

TEST_F(EpollReactorTest, AnAcceptThatFailsIsNotTheListenersEnd) {
  const auto own = make_network(network_options());
  Server server(*own, kV4);
  system_calls.accept4 = fail_with(ECONNABORTED, 2);
  const Fd first = start_connect(kV4, server.port).socket;
  run_until(*own, [&] { return server.peers.size() == 1; });
  EXPECT_EQ(server.accept_error, 0);
  system_calls.accept4 = fail_with(EMFILE, 2);
  const Fd second = start_connect(kV4, server.port).socket;
  run_until(*own, [&] { return server.accept_error == EMFILE; });
  EXPECT_EQ(server.peers.size(), 1u);
  const Fd third = start_connect(kV4, server.port).socket;  // a new edge amid the want
  run_until(*own, [&] { return server.peers.size() == 3; });
}

TEST_F(EpollReactorTest, ASocketThatIsRefusedBreaksOnTheNextTurn) {
  Pair pair, other;
  Log log, connecting;
  system_calls.epoll_ctl = fail_with(ENOSPC, 2);
  adopt(pair, log);
  adopt(other, connecting, true);
  EXPECT_TRUE(log.lines.empty());
  turn();
  EXPECT_THAT(log.lines, testing::ElementsAre("end " + std::to_string(ENOSPC)));
  EXPECT_THAT(connecting.lines, testing::ElementsAre("connected " + std::to_string(ENOSPC)));
}

// Of descriptors there are no more: the listener stays, and takes what waits when there are some again.
TEST_P(ReactorTest, AListenerOutlivesWantOfDescriptors) {
  const auto own = make_network(network_options());
  Server server(*own, kV4);
  const Fd client = start_connect(kV4, server.port).socket;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const Fd lowest(::open("/dev/null", O_RDONLY | O_CLOEXEC));  // all below it are taken
  const rlimit none_left{static_cast<rlim_t>(lowest.get()) + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none_left), 0);
  run_until(*own, [&] { return server.accept_error == EMFILE; });
  EXPECT_TRUE(server.peers.empty());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  run_until(*own, [&] { return server.peers.size() == 1; });
}

TEST_P(ReactorTest, ClosingIsSeenByThePeerWhileTheLoopWaits) {
  for (const bool abort : {false, true}) {
    Pair pair;
    Log log;
    adopt(pair, log);
    pair.say("x");
    log.when_received = [&] { reactor->close(log.id, abort); };
    turn_until([&] { return reactor->descriptor(log.id) < 0; });
    ssize_t n = 0;
    std::thread far([&] {
      char c;
      n = ::read(pair.far.get(), &c, 1);
      if (n < 0) n = -errno;
      reactor->wake();
    });
    reactor->wait(kNever);
    far.join();
    EXPECT_EQ(n, abort ? -ECONNRESET : 0);
  }
}

TEST_P(ReactorTest, ClosingOutsideOfTheLoopIsSeenAtOnce) {
  Pair pair;
  Log log;
  adopt(pair, log);
  look();
  reactor->close(log.id);
  char c;
  EXPECT_EQ(::read(pair.far.get(), &c, 1), 0);
}

// As an attack does it: made by one thread, run by another, and destroyed by the first again.
TEST_P(ReactorTest, IsMadeRunAndDestroyedByDifferentThreads) {
  Pair pair, late;
  Log log, unheard;
  adopt(pair, log);
  pair.say("x");
  std::thread runner([&] {
    turn_until([&] { return log.bytes == "x"; });
    reactor->close(log.id);
    adopt(late, unheard);
  });
  runner.join();
  char c;
  EXPECT_EQ(::read(pair.far.get(), &c, 1), 0);
  reactor->close(unheard.id);
  reactor.reset();
  EXPECT_EQ(::read(late.far.get(), &c, 1), 0);
}

TEST_P(ReactorTest, WhatIsStillOpenIsClosedWithTheReactor) {
  Pair pair;
  Log log;
  adopt(pair, log);
  look();
  reactor.reset();
  char c;
  EXPECT_EQ(::read(pair.far.get(), &c, 1), 0);
}

// Much in both directions at once, pausing and going on: nothing is lost, doubled or out of order.
TEST_P(ReactorTest, PausesLoseNothing) {
  Pair pair;
  Log log;
  std::string all;
  for (int i = 0; i < 3'000'000; ++i) all += static_cast<char>('a' + i % 25);
  int received = 0;
  bool is_paused = false;
  log.when_received = [&] {
    if (++received % 3 != 0) return;
    reactor->pause(log.id);
    is_paused = true;
  };
  adopt(pair, log);
  std::thread far([&] { pair.say(all); });
  const Instant limit = now() + std::chrono::seconds(20);
  while (log.bytes.size() < all.size() && now() < limit) {
    reactor->wait(is_paused ? Instant::min() : limit);
    const std::size_t before = log.bytes.size();
    if (!is_paused) continue;
    look();
    EXPECT_EQ(log.bytes.size(), before) << "received while paused";
    is_paused = false;
    reactor->resume(log.id);
    if (received % 2 == 0) reactor->pause(log.id), reactor->resume(log.id);
  }
  far.join();
  EXPECT_TRUE(log.bytes == all) << log.bytes.size();
}

TEST_P(ReactorTest, ASignalEndsAWait) {
  struct sigaction act{}, before{};
  act.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &act, &before), 0);
  std::atomic<bool> is_over = false;
  const pthread_t waiter = pthread_self();
  std::thread other([&] {
    while (!is_over) {
      pthread_kill(waiter, SIGUSR1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_EQ(reactor->wait(kNever), 0);
  is_over = true;
  other.join();
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_P(ReactorTest, WakeEndsAWaitFromAnotherThread) {
  std::thread other([&] { reactor->wake(); });
  reactor->wait(kNever);
  other.join();
  reactor->wake();
  reactor->wait(kNever);  // one that came before counts, too
}

TEST_F(EpollReactorTest, WaitsWithoutEpollPwait2) {
  for (const int error : {ENOSYS, EPERM}) {
    const auto made = std::move(*Reactor::create(Io::epoll));
    system_calls.epoll_pwait2 = fail_with(error, 1);
    Pair pair;
    Log log;
    made->adopt(std::move(pair.near), log, false);
    pair.say("x");
    const Instant limit = now() + std::chrono::seconds(10);
    while (log.bytes.empty() && now() < limit) made->wait(limit);
    EXPECT_EQ(log.bytes, "x");
    const Instant until = now() + std::chrono::milliseconds(3);
    while (now() < until) made->wait(until);
    SUCCEED();
  }
}

TEST_F(EpollReactorTest, AnInterruptedWaitReturns) {
  system_calls.epoll_pwait2 = fail_with(EINTR);
  EXPECT_EQ(reactor->wait(kNever), 0);
}

struct Watcher : WatchHandler {
  void on_ready(int, bool readable, bool writable) override {
    readables += readable;
    writables += writable;
  }
  int readables = 0, writables = 0;
};

TEST_P(ReactorTest, WatchesForeignDescriptorsByLevel) {
  Pair pair;
  Watcher watcher;
  reactor->watch(pair.near.get(), watcher, true, false);
  look();
  EXPECT_EQ(watcher.readables, 0);
  pair.say("x");
  turn();
  turn();  // still unread: told again
  EXPECT_EQ(watcher.readables, 2);
  EXPECT_EQ(watcher.writables, 0);
  reactor->watch(pair.near.get(), watcher, false, true);
  turn();
  EXPECT_EQ(watcher.writables, 1);
  reactor->watch(pair.near.get(), watcher, false, false);
  look();
  EXPECT_EQ(watcher.writables, 1);
  EXPECT_EQ(watcher.readables, 2);
}

TEST_P(ReactorTest, AWatchedDescriptorMayBeClosedAndItsNumberComeBack) {
  auto pair = std::make_unique<Pair>();
  Watcher before, after;
  const int number = pair->near.get();
  reactor->watch(number, before, true, false);
  pair->near.reset();
  Pair next;
  if (next.near.get() != number) {
    ASSERT_EQ(::dup2(next.near.get(), number), number);
  }
  const Fd same(next.near.get() == number ? -1 : number);
  reactor->watch(number, after, true, false);
  next.say("x");
  turn();
  EXPECT_EQ(after.readables, 1);
  EXPECT_EQ(before.readables, 0);
  reactor->watch(number, after, false, false);
}

}  // namespace
}  // namespace thrum::net
