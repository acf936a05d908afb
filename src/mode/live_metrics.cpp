#include "mode/live_metrics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/duration.hpp"
#include "mode/standard_streams.hpp"

namespace thrum::mode {

Expected<std::unique_ptr<LiveMetrics>> LiveMetrics::open(const AttackRequest& request, std::string_view flag, Say say) {
  const std::string& address = request.metrics_addr;
  auto page = ui::MetricsPage::open(address, flag);
  if (!page) return std::unexpected(std::move(page.error()));
  const std::string& url = (*page)->url();
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0)
    say(fmt::format("metrics for this machine only on {}; for others: {}=0.0.0.0:{}", url, flag, address.substr(colon + 1)));
  else if (address.ends_with(":0"))
    say(fmt::format("metrics on {}", url));
  return std::unique_ptr<LiveMetrics>(new LiveMetrics(std::move(*page), request.metrics_linger, std::move(say)));
}

void LiveMetrics::linger(bool is_piped) {
  if (time_ <= Nanos(0)) return;
  if (::isatty(STDERR_FILENO) == 1) say_(fmt::format("metrics stay on {} for {}; Ctrl-C ends that", page_->url(), format_duration(time_)));
  if (is_piped) end_stdout();
  is_lingering_.store(true);
  linger_.wait(time_);
}

}  // namespace thrum::mode
