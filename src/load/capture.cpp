#include <algorithm>

#include "load/record.hpp"

namespace thrum::load {

void Capture::on_header(std::string_view name, std::string_view value) {
  if (!keep_headers) return;
  const auto size = static_cast<std::int64_t>(name.size() + value.size());
  if (in_flight.load(std::memory_order_relaxed) + size > kMostInFlight) {
    was_truncated = true;
    return;
  }
  charged += size;
  in_flight.fetch_add(size, std::memory_order_relaxed);
  headers.emplace_back(name, value);
}

void Capture::on_body(std::span<const char> bytes) {
  auto wanted = static_cast<std::int64_t>(bytes.size());
  if (max_body >= 0) wanted = std::min(wanted, max_body - static_cast<std::int64_t>(body.size()));
  const std::int64_t free = kMostInFlight - in_flight.load(std::memory_order_relaxed);
  if (wanted > free) {
    was_truncated = true;
    wanted = std::max<std::int64_t>(0, free);
  }
  if (wanted <= 0) return;
  charged += wanted;
  in_flight.fetch_add(wanted, std::memory_order_relaxed);
  body.append(bytes.data(), static_cast<std::size_t>(wanted));
}

}  // namespace thrum::load
