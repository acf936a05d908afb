// What a result costs to measure: one value into a histogram, and a whole result into all figures.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "thrum/metrics.hpp"

namespace thrum {
namespace {

std::vector<std::int64_t> latencies() {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> usual(std::log(2e6), 0.7);
  std::vector<std::int64_t> values(1 << 16);
  for (std::int64_t& v : values) v = static_cast<std::int64_t>(usual(random));
  return values;
}

void record(benchmark::State& state) {
  const std::vector<std::int64_t> values = latencies();
  Histogram h;
  std::size_t i = 0;
  for (auto _ : state) h.record(Nanos(values[i++ & 0xffff]));
  benchmark::DoNotOptimize(h.count());
}
BENCHMARK(record);

// Batches as a reader hands them out, of a run at 100,000/s. The argument: how many of a thousand fail.
void add(benchmark::State& state) {
  const std::vector<std::int64_t> values = latencies();
  std::vector<std::vector<Result>> batches(64);
  std::int64_t n = 0;
  for (std::vector<Result>& batch : batches) {
    for (int i = 0; i < 1000; ++i, ++n) {
      Result& r = batch.emplace_back();
      const bool failed = n % 1000 < state.range(0);
      r.timestamp = Timestamp{1'700'000'000, 0, 0}.plus(Nanos(n * 10'000));
      r.latency = Nanos(values[static_cast<std::size_t>(n) & 0xffff]);
      r.lag = Nanos(values[static_cast<std::size_t>(n * 7) & 0xffff] >> 9);
      r.code = failed ? 503 : 200;
      r.outcome = failed ? Outcome::bad_status : Outcome::ok;
      r.error = failed ? "503 Service Unavailable" : "";
      r.bytes_in = 803;
    }
  }
  Metrics metrics;
  std::size_t i = 0;
  for (auto _ : state) metrics.add(batches[i++ % batches.size()]);
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(add)->Arg(0)->Arg(1000);

void close(benchmark::State& state) {
  Metrics metrics;
  std::vector<Result> results(1);
  for (const std::int64_t v : latencies()) {
    results[0].latency = Nanos(v);
    metrics.add(results);
  }
  for (auto _ : state) benchmark::DoNotOptimize(metrics.close().latencies.p99);
}
BENCHMARK(close);

}  // namespace
}  // namespace thrum
