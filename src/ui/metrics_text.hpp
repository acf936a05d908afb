// The metrics page as text: vegeta's metrics by their names and labels, and thrum's own, in Prometheus' text format 0.0.4 or in
// OpenMetrics 1.0. docs/metrics.md lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "measure/label_counts.hpp"
#include "thrum/attacker.hpp"

namespace thrum::ui {

struct MetricsView {
  LabelCounts counts;
  Progress progress;
  bool is_running = false;
};

enum class MetricsFormat : std::uint8_t { text, open_metrics };

// What a scraper's Accept header asks for; plain text when it leaves that open.
MetricsFormat format_for(std::string_view accept);
std::string_view content_type(MetricsFormat format);
std::string metrics_text(const MetricsView& view, MetricsFormat format);

}  // namespace thrum::ui
