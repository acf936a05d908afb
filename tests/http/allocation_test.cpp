// The request path allocates nothing once warm: counted here, with an operator new of our own for this executable.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "http/request.hpp"
#include "http/response_parser.hpp"
#include "support/sanitizers.hpp"

namespace {
std::size_t allocations = 0;
}  // namespace

// Kept out of line: inlined, they look to GCC like a malloc freed by delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace thrum::http {
namespace {

std::size_t allocations_of(auto&& act) {
  const std::size_t before = allocations;
  act();
  return allocations - before;
}

void read_in_pieces(ResponseParser& parser, std::string_view bytes, std::size_t step) {
  parser.reset(false);
  for (std::size_t at = 0; at < bytes.size(); at += step) parser.feed(bytes.substr(at, step));
}

TEST(Allocation, TheCounterCounts) {
  THRUM_SKIP_WITHOUT_OWN_NEW();
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(1)); }), 1u);
}

TEST(Allocation, AWholeResponseNeedsNone) {
  const std::string_view bytes =
      "HTTP/1.1 503 Service Unavailable For Quite Some Time\r\nServer: a server with a rather long name/1.0\r\nContent-Length: "
      "3\r\n\r\nabc";
  ResponseParser parser;
  EXPECT_EQ(allocations_of([&] { read_in_pieces(parser, bytes, bytes.size()); }), 0u);
  EXPECT_EQ(parser.state(), ResponseParser::State::done);
}

TEST(Allocation, OneInPiecesNeedsNoneOnceOneWasRead) {
  const std::string_view bytes =
      "HTTP/1.1 302 Found\r\nLocation: /somewhere/that/is/longer/than/a/short/string\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  ResponseParser parser;
  read_in_pieces(parser, bytes, 1);
  EXPECT_EQ(allocations_of([&] { read_in_pieces(parser, bytes, 1); }), 0u);
  EXPECT_EQ(parser.state(), ResponseParser::State::done);
}

TEST(Allocation, RenderingAHitNeedsNone) {
  Target target;
  target.url = "http://h/";
  const Expected<PreparedRequest> request = prepare(target, {});
  ASSERT_TRUE(request);
  std::string wire(request->head.size() + kSequenceRoom, '\0');
  EXPECT_EQ(allocations_of([&] { render_head(*request, 123'456'789, wire.data()); }), 0u);
}

}  // namespace
}  // namespace thrum::http
