// The reactor on loopback sockets: what arrives, in what order, and what handlers may do meanwhile.
#include "net/reactor.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <list>
#include <memory>
#include <string>
#include <thread>

#include "net/socket.hpp"
#include "peers.hpp"
#include "system_calls.hpp"

namespace thrum::net {
namespace {

using State = SendOutcome::State;
const Address kV4 = Address::v4(0x7f000001);

// A connected pair of TCP sockets on loopback; `far` is used by plain calls.
struct Pair {
  Pair() {
    const auto listener = listen_on(kV4, 0);
    near = start_connect(kV4, local_port(listener->get())).socket;
    pollfd ready{listener->get(), POLLIN, 0};
    ::poll(&ready, 1, 10'000);
    far = Fd(::accept(listener->get(), nullptr, nullptr));
  }
  void say(std::string_view s) const { EXPECT_EQ(::write(far.get(), s.data(), s.size()), static_cast<ssize_t>(s.size())); }
  void reset() {
    const linger hard{1, 0};
    setsockopt(far.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    far.reset();
  }
  // Until the near side has it: loopback delivers at once, but let no test depend on that.
  void await(short what) const {
    pollfd ready{near.get(), what, 0};
    EXPECT_EQ(::poll(&ready, 1, 10'000), 1);
  }
  Fd near, far;
};

// Writes down everything that it is told.
struct Log : SocketHandler {
  void on_connected(int error) override { note("connected " + std::to_string(error), when_connected); }
  void on_received(std::span<char> b) override {
    bytes.append(b.begin(), b.end());
    note("received " + std::to_string(b.size()), when_received);
  }
  void on_skipped(std::size_t n) override {
    skipped += n;
    note("skipped " + std::to_string(n), when_skipped);
  }
  void on_sent() override { note("sent", when_sent); }
  void on_end(int error) override { note("end " + std::to_string(error), when_end); }

  void note(std::string what, const std::function<void()>& then) {
    lines.push_back(std::move(what));
    if (then) then();
  }
  bool saw(const std::string& line) const { return std::ranges::find(lines, line) != lines.end(); }

  SocketId id;
  std::string bytes;
  std::size_t skipped = 0;
  std::vector<std::string> lines;
  std::function<void()> when_connected, when_received, when_skipped, when_sent, when_end;
};

class ReactorTest : public testing::Test {
 protected:
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

  HookedCalls hooks;
  std::unique_ptr<Reactor> reactor = std::move(*Reactor::create());
};

TEST_F(ReactorTest, DataThatCameWithTheFinIsFollowedByTheEnd) {
  Pair pair;
  Log log;
  pair.say("bye");
  pair.far.reset();
  pair.await(POLLRDHUP);
  adopt(pair, log);
  turn();
  EXPECT_THAT(log.lines, testing::ElementsAre("received 3", "end 0"));
}

TEST_F(ReactorTest, AFinThatComesLaterIsSeen) {
  Pair pair;
  Log log;
  adopt(pair, log);
  pair.say("a");
  turn_until([&] { return log.bytes == "a"; });
  pair.far.reset();
  turn_until([&] { return log.saw("end 0"); });
}

TEST_F(ReactorTest, DataBeforeAResetIsFollowedByTheError) {
  Pair pair;
  Log log;
  pair.say("oops");
  pair.await(POLLIN);
  pair.reset();
  adopt(pair, log);
  turn();
  EXPECT_THAT(log.lines, testing::ElementsAre("received 4", "end " + std::to_string(ECONNRESET)));
}

TEST_F(ReactorTest, SkipCountsAndStopsWhereItShould) {
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

TEST_F(ReactorTest, SkipAddsUpAndEndsWithTheFin) {
  Pair pair;
  Log log;
  pair.say("12345678");
  pair.far.reset();
  pair.await(POLLRDHUP);
  adopt(pair, log);
  reactor->skip(log.id, 5);
  reactor->skip(log.id, 50);
  turn();
  EXPECT_THAT(log.lines, testing::ElementsAre("skipped 8", "end 0"));
}

TEST_F(ReactorTest, SkipOfExactlyAllLeavesTheNextBytesToBeReceived) {
  Pair pair;
  Log log;
  pair.say("123ab");
  pair.await(POLLIN);
  adopt(pair, log);
  reactor->skip(log.id, 3);
  turn();
  EXPECT_THAT(log.lines, testing::ElementsAre("skipped 3", "received 2"));
}

// The head is copied as far as it does not leave at once, the body is not; both arrive whole.
TEST_F(ReactorTest, ASendThatDoesNotFitIsFinishedLater) {
  for (const auto& [head_size, body_size] : {std::pair{8'000'000, 0}, {100, 8'000'000}, {4'000'000, 4'000'000}}) {
    Pair pair;
    Log log;
    adopt(pair, log);
    turn();  // the first edge: writable
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

TEST_F(ReactorTest, SendIsTriedAgainAfterEintr) {
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
TEST_F(ReactorTest, WhatCameBeforeASendBrokeIsHandedOutFirst) {
  for (const bool at_once : {true, false}) {
    Pair pair;
    Log log;
    const std::string much(8'000'000, 'x');
    adopt(pair, log);
    turn();
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

TEST_F(ReactorTest, ARefusedSendWithoutAnyEventStillEnds) {
  Pair pair;
  Log log;
  adopt(pair, log);
  turn();
  system_calls.send = fail_with(ENOBUFS);
  EXPECT_EQ(reactor->send(log.id, span_of("x")).error, ENOBUFS);
  EXPECT_TRUE(log.lines.empty());
  turn();
  EXPECT_THAT(log.lines, testing::ElementsAre("end " + std::to_string(ENOBUFS)));
}

TEST_F(ReactorTest, AfterTheFinSendingGoesOnAndItsBreakingIsTold) {
  Pair pair;
  Log log;
  adopt(pair, log);
  turn();
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

TEST_F(ReactorTest, APausedSocketIsReadWhenItGoesOn) {
  Pair pair;
  Log log;
  adopt(pair, log);
  turn();
  reactor->pause(log.id);
  pair.say("held");
  pair.far.reset();
  look();
  look();
  EXPECT_TRUE(log.lines.empty());
  reactor->resume(log.id);
  turn();
  EXPECT_THAT(log.lines, testing::ElementsAre("received 4", "end 0"));
}

TEST_F(ReactorTest, PausingWithinACallHoldsWhatFollows) {
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

TEST_F(ReactorTest, AHandlerMayCloseItsSocketFromAnyCall) {
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
TEST_F(ReactorTest, ALateEventDoesNotReachWhoTookTheSlot) {
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
TEST_F(ReactorTest, ALateRefusalIsNotTakenForTheOutcomeOfAnother) {
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
TEST_F(ReactorTest, AnotherConnectionsOutcomeIsNotMistaken) {
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
TEST_F(ReactorTest, AFastSenderDoesNotStarveTheOthers) {
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

TEST_F(ReactorTest, MoreConnectionsThanOneWakeTakesAreAllAccepted) {
  constexpr std::size_t kMany = 200;
  const auto own = make_network();
  Server server(*own, kV4);
  std::vector<Fd> clients;
  for (std::size_t i = 0; i < kMany; ++i) clients.push_back(start_connect(kV4, server.port).socket);
  run_until(*own, [&] { return server.peers.size() == kMany; });
}

TEST_F(ReactorTest, AnAcceptThatFailsIsNotTheListenersEnd) {
  const auto own = make_network();
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

TEST_F(ReactorTest, ASocketThatEpollRefusesBreaksOnTheNextTurn) {
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

TEST_F(ReactorTest, WakeEndsAWaitFromAnotherThread) {
  std::thread other([&] { reactor->wake(); });
  reactor->wait(kNever);
  other.join();
  reactor->wake();
  reactor->wait(kNever);  // one that came before counts, too
}

TEST_F(ReactorTest, WaitsWithoutEpollPwait2) {
  for (const int error : {ENOSYS, EPERM}) {
    const auto made = std::move(*Reactor::create());
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

TEST_F(ReactorTest, AnInterruptedWaitReturns) {
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

TEST_F(ReactorTest, WatchesForeignDescriptorsByLevel) {
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

TEST_F(ReactorTest, AWatchedDescriptorMayBeClosedAndItsNumberComeBack) {
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
