// What reading a response costs, per response: the small one that most attacks are made of, and its less usual relatives.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "http/request.hpp"
#include "http/response_parser.hpp"

namespace {

using thrum::http::ResponseParser;

const std::string kSmall =
    "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Type: text/plain\r\n"
    "Content-Length: 16\r\nConnection: keep-alive\r\n\r\n0123456789abcdef";
const std::string kChunked =
    "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Type: text/plain\r\n"
    "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n";
const std::string kManyHeaders = [] {
  std::string s = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n";
  for (int i = 0; i < 20; ++i) s += "X-Request-Header-" + std::to_string(i) + ": " + std::string(60, 'v') + "\r\n";
  return s + "\r\n";
}();

void read(benchmark::State& state, const std::string& response, std::size_t step) {
  ResponseParser parser;
  for (auto _ : state) {
    parser.reset(false);
    for (std::size_t at = 0; at < response.size(); at += step) parser.feed({response.data() + at, std::min(step, response.size() - at)});
    benchmark::DoNotOptimize(parser.status());
    if (parser.state() != ResponseParser::State::done) state.SkipWithError("not read to its end");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * response.size()));
}

void read_known(benchmark::State& state) {
  thrum::http::KnownHeads known;
  ResponseParser parser(&known);
  for (auto _ : state) {
    parser.reset(false);
    parser.feed(kSmall);
    benchmark::DoNotOptimize(parser.status());
  }
}

void render(benchmark::State& state) {
  thrum::Target target;
  target.url = "http://127.0.0.1:8080/api/products";
  const auto request = thrum::http::prepare(target, {});
  std::string wire(request->head.size() + thrum::http::kSequenceRoom, '\0');
  std::uint64_t sequence = 0;
  for (auto _ : state) benchmark::DoNotOptimize(thrum::http::render_head(*request, sequence++, wire.data()));
}

BENCHMARK_CAPTURE(read, small, kSmall, kSmall.size());
BENCHMARK_CAPTURE(read, small_in_two, kSmall, 100);
BENCHMARK_CAPTURE(read, small_byte_by_byte, kSmall, 1);
BENCHMARK_CAPTURE(read, chunked, kChunked, kChunked.size());
BENCHMARK_CAPTURE(read, many_headers, kManyHeaders, kManyHeaders.size());
BENCHMARK(read_known);
BENCHMARK(render);

}  // namespace
