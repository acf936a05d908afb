// After warm-up, answering a request from memory allocates nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "loop.hpp"

namespace {
std::uint64_t allocations = 0;
}

// Not inlined: GCC would see malloc's memory handed to delete, and warn.
[[gnu::noinline]] void* operator new(std::size_t n) {
  ++allocations;
  if (void* p = std::malloc(n == 0 ? 1 : n)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

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

TEST(Allocation, TheTestSeesThem) {
  Loop loop;
  loop.serve_demo();
  Client client(loop);
  const std::string streamed = "GET /bytes/20000 HTTP/1.1\r\nHost: t\r\n\r\n";
  const std::size_t response = client.ask(streamed).size();
  EXPECT_GT(allocations_of(loop, client, streamed, response), 0u);
}

}  // namespace
}  // namespace thrum::serve
