// The metrics page of a running attack: a small server on a thread of its own, in the background, so that a scrape takes no core
// from a sender. The attack's side hands in results and figures; a scrape copies them under a lock and makes its text outside.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "net/reactor.hpp"
#include "net/timers.hpp"
#include "serve/server.hpp"
#include "thrum/error.hpp"
#include "ui/metrics_text.hpp"

namespace thrum::ui {

class MetricsPage final : private serve::Handler {
 public:
  // HOST:PORT, :PORT or PORT; without a host it is loopback only. `flag` is named in errors. Serves until it is destroyed.
  static Expected<std::unique_ptr<MetricsPage>> open(std::string_view address, std::string_view flag);
  ~MetricsPage() override;

  // "http://127.0.0.1:8880/metrics", as this machine reaches it.
  const std::string& url() const { return url_; }

  // From one thread.
  void add(std::span<const Result> results);
  void show(const Progress& progress);
  void finish(const Summary& summary);

 private:
  explicit MetricsPage(std::unique_ptr<net::Reactor> reactor);
  void handle(serve::Ticket ticket, const serve::Request& request) override;
  void run();

  std::mutex mutex_;
  MetricsView view_;

  std::unique_ptr<net::Reactor> reactor_;
  net::Timers timers_;
  serve::Server server_;
  std::string url_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

// Whether `address` can be listened on as far as its form goes; nothing is opened.
Expected<void> check_metrics_address(std::string_view address, std::string_view flag);

}  // namespace thrum::ui
