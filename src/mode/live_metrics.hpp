// The metrics page of an attack or a run, from its being opened to the last scrape after the end.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "mode/attack.hpp"
#include "mode/linger.hpp"
#include "ui/metrics_page.hpp"

namespace thrum::mode {

class LiveMetrics {
 public:
  using Say = std::function<void(std::string_view)>;

  // Listens from now on at request.metrics_addr. `flag`: by which it was asked for. What was left to us is told by `say`.
  static Expected<std::unique_ptr<LiveMetrics>> open(const AttackRequest& request, std::string_view flag, Say say);

  void add(std::span<const Result> results) { page_->add(results); }
  void show(const Progress& progress) { page_->show(progress); }
  void finish(const Summary& summary) { page_->finish(summary); }
  // The last values can be scraped for as long as was asked. The product is whole: whoever reads it from a pipe (`is_piped`) is not
  // kept waiting.
  void linger(bool is_piped);
  // Ends that; from any thread and from a signal handler. stop(): if it has begun.
  void stop() noexcept {
    if (is_lingering_.load()) linger_.end();
  }
  void cut() noexcept { linger_.end(); }

 private:
  LiveMetrics(std::unique_ptr<ui::MetricsPage> page, Nanos time, Say say) : page_(std::move(page)), time_(time), say_(std::move(say)) {}

  std::unique_ptr<ui::MetricsPage> page_;
  Nanos time_;
  Say say_;
  Linger linger_;
  std::atomic<bool> is_lingering_{false};
};

}  // namespace thrum::mode
