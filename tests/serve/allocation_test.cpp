// After warm-up, answering a request from memory allocates nothing, and a connection that idles holds next to nothing.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <new>

#include "loop.hpp"
#include "support/sanitizers.hpp"

namespace {
std::uint64_t allocations = 0, bytes_held = 0;
}

// Not inlined: GCC would see malloc's memory handed to delete, and warn.
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  void* p = std::malloc(n == 0 ? 1 : n);
  if (p == nullptr) throw std::bad_alloc();
  bytes_held += malloc_usable_size(p);
  return p;
}
[[gnu::noinline]] void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return operator new(n); }
[[gnu::noinline]] void operator delete(void* p) noexcept {
  bytes_held -= malloc_usable_size(p);
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }

namespace thrum::serve {
namespace {

// Of the server alone: the client counts its own before and after.
std::uint64_t allocations_of(Loop& loop, Client& client, std::string_view request, std::size_t response_bytes) {
  EXPECT_EQ(client.push(request), request.size());
  const std::uint64_t before = allocations;
  for (int i = 0; i < 3; ++i) loop.turn();
  const std::uint64_t during = allocations - before;
  EXPECT_EQ(client.read(response_bytes).size(), response_bytes);
  return during;
}

TEST(Allocation, NoneOnTheRequestPath) {
  Loop loop;
  loop.serve_demo();
  Client client(loop);
  const std::string head = " HTTP/1.1\r\nHost: t\r\nUser-Agent: test\r\nAccept: */*\r\n";
  for (const std::string& one : {"GET /bytes/16" + head + "\r\n", "GET /api/products" + head + "\r\n", "HEAD /bytes/16" + head + "\r\n",
                                 "GET /nowhere" + head + "\r\n", "POST /echo" + head + "Content-Length: 5\r\n\r\nhello"}) {
    EXPECT_TRUE(client.send(one));
    const std::size_t response = client.read_response(one.starts_with("HEAD")).size();
    allocations_of(loop, client, one + one + one, 3 * response);  // the first time, buffers grow
    EXPECT_EQ(allocations_of(loop, client, one, response), 0u) << one;
    EXPECT_EQ(allocations_of(loop, client, one + one + one, 3 * response), 0u) << one;
  }
}

TEST(Allocation, IdleConnectionsAreSmall) {
  constexpr std::uint64_t kClients = 300;
  Loop loop;
  loop.serve_demo();
  Client(loop).get("/bytes/16");  // what all connections share is made with the first
  std::vector<std::unique_ptr<Client>> clients;
  std::uint64_t by_clients = 0;
  const std::uint64_t before = bytes_held;
  for (std::uint64_t i = 0; i < kClients; ++i) {
    const std::uint64_t at = bytes_held;
    clients.push_back(std::make_unique<Client>(loop));
    by_clients += bytes_held - at;
    // A head in pieces, a body in pieces, requests in a row: all of it is given back.
    for (const char* piece : {"GET /by", "tes/16 HTTP/1.1\r\nHost: t\r\n\r\n"}) {
      ASSERT_TRUE(clients[i]->send(piece));
      loop.turn();
    }
    ASSERT_EQ(body_of(clients[i]->read_response()).size(), 16u);
    ASSERT_TRUE(clients[i]->send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 5000\r\n\r\n"));
    loop.turn();
    ASSERT_TRUE(clients[i]->send(std::string(5000, 'x')));
    ASSERT_GT(body_of(clients[i]->read_response()).size(), 5000u);
    clients[i]->forget();
  }
  ASSERT_GE(loop.counters().connections_open.get(), kClients);
  EXPECT_LT((bytes_held - before - by_clients) / kClients, 1024u);
}

TEST(Allocation, TheTestSeesThem) {
  THRUM_SKIP_WITHOUT_OWN_NEW();
  Loop loop;
  loop.serve_demo();
  Client client(loop);
  const std::string streamed = "GET /bytes/20000 HTTP/1.1\r\nHost: t\r\n\r\n";
  const std::size_t response = client.ask(streamed).size();
  EXPECT_GT(allocations_of(loop, client, streamed, response), 0u);
}

}  // namespace
}  // namespace thrum::serve
