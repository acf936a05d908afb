// Attacks a URL for two seconds and prints the 99th percentile of its latencies.
#include <iostream>

#include "thrum/attacker.hpp"
#include "thrum/metrics.hpp"

struct Figures final : thrum::ResultSink {
  thrum::Metrics metrics;
  thrum::Expected<void> take(std::span<const thrum::Result> results) override {
    metrics.add(results);
    return {};
  }
};

int main(int argc, char** argv) {
  thrum::AttackOptions options;  // 50 requests a second, if nothing else is said
  options.duration = std::chrono::seconds(2);
  auto attacker = thrum::Attacker::create(options, {{.url = argc > 1 ? argv[1] : "http://127.0.0.1:18080/"}});
  if (!attacker) return std::cerr << attacker.error().text << '\n', 1;
  Figures figures;
  const auto summary = (*attacker)->run(figures);
  if (!summary) return std::cerr << summary.error().text << '\n', 1;
  std::cout << summary->books.sent << " sent, p99 " << figures.metrics.close().latencies.p99.count() / 1e6 << " ms\n";
}
