// A scraper's Accept header. Nothing but OpenMetrics by name may lead to OpenMetrics.
#include <cstdlib>

#include "base/text.hpp"
#include "ui/metrics_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view accept(reinterpret_cast<const char*>(data), size);
  const auto format = thrum::ui::format_for(accept);
  if (format == thrum::ui::MetricsFormat::open_metrics && thrum::lower(accept).find("application/openmetrics-text") == std::string::npos)
    std::abort();
  return 0;
}
