#include "ui/metrics_page.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "host/background.hpp"
#include "serve/listen_address.hpp"

namespace thrum::ui {
namespace {

// Without a host it is this machine only: URLs and errors of an attack are not for everybody on the network.
std::string with_host(std::string_view address) {
  if (address.starts_with(':')) return fmt::format("localhost{}", address);
  const bool is_port = !address.empty() && address.find_first_not_of("0123456789") == address.npos;
  return is_port ? fmt::format("localhost:{}", address) : std::string(address);
}

}  // namespace

Expected<void> check_metrics_address(std::string_view address, std::string_view flag) {
  if (auto parsed = serve::parse_listen_address(with_host(address), flag); !parsed) return std::unexpected(parsed.error());
  return {};
}

Expected<std::unique_ptr<MetricsPage>> MetricsPage::open(std::string_view address, std::string_view flag) {
  const auto where = serve::parse_listen_address(with_host(address), flag);
  if (!where) return std::unexpected(where.error());
  auto listening = serve::listen_on(*where, flag);
  if (!listening) return std::unexpected(listening.error());
  auto reactor = net::Reactor::create(Io::epoll);
  if (!reactor) return std::unexpected(reactor.error());
  std::unique_ptr<MetricsPage> page(new MetricsPage(std::move(*reactor)));
  for (Fd& socket : listening->sockets) page->server_.listen(std::move(socket));
  page->url_ = fmt::format("http://{}/metrics", listening->authority);
  try {
    page->thread_ = std::thread([p = page.get()] { p->run(); });
  } catch (const std::system_error& e) {
    return failure(fmt::format("can't start the thread of the metrics page: {}", e.code().message()));
  }
  return page;
}

MetricsPage::MetricsPage(std::unique_ptr<net::Reactor> reactor) : reactor_(std::move(reactor)), server_(*reactor_, timers_, *this) {}

MetricsPage::~MetricsPage() {
  stopping_.store(true, std::memory_order_relaxed);
  reactor_->wake();
  if (thread_.joinable()) thread_.join();
}

void MetricsPage::run() {
  pthread_setname_np(pthread_self(), "thrum-metrics");
  const host::Background background;
  while (!stopping_.load(std::memory_order_relaxed)) {
    reactor_->wait(timers_.next());
    timers_.run_due(now());
  }
}

void MetricsPage::add(std::span<const Result> results) {
  const std::lock_guard lock(mutex_);
  view_.counts.add(results);
}

void MetricsPage::show(const Progress& progress) {
  const std::lock_guard lock(mutex_);
  view_.progress = progress;
  view_.is_running = true;
}

void MetricsPage::finish(const Summary& s) {
  const std::lock_guard lock(mutex_);
  Progress& p = view_.progress;
  p.due = s.books.scheduled;
  p.sent = s.books.sent;
  p.missed = s.books.missed;
  p.in_flight = 0;
  p.connections_opened = s.connections.opened;
  p.connections_open = 0;
  p.busiest_shard = s.busiest_shard;
  view_.is_running = false;
}

// Any path is the page, as vegeta has it: scrapers are set up with this path or that.
void MetricsPage::handle(serve::Ticket ticket, const serve::Request& request) {
  const serve::RequestHead& head = request.head;
  if (head.method != "GET" && !head.is_head()) {
    ticket.answer({.status = 405, .headers = "Allow: GET, HEAD\r\n", .body = "only GET and HEAD work here\n"});
    return;
  }
  const MetricsFormat format = format_for(head.header("Accept").value_or(""));
  MetricsView view;
  {
    const std::lock_guard lock(mutex_);
    view = view_;
  }
  const std::string text = metrics_text(view, format);
  ticket.answer({.type = content_type(format), .headers = "Cache-Control: no-store\r\n", .body = text});
}

}  // namespace thrum::ui
