// What a hit's times are called and where metrics have them: one list for the table of phases, for JSON, and for gates.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "thrum/metrics.hpp"

namespace thrum::report {

struct Times {
  std::string_view key;    // in JSON, and in gates: "first_byte"
  std::string_view label;  // in text
  const Histogram& (*of)(const Metrics&);
};

// The first is by the clock that a report was asked for.
inline constexpr std::array<Times, 10> kTimes{{
    {"latency", "Latency", [](const Metrics& m) -> const Histogram& { return m.latencies(); }},
    {"service", "Service", [](const Metrics& m) -> const Histogram& { return m.service_latencies(); }},
    {"response", "Response", [](const Metrics& m) -> const Histogram& { return m.response_latencies(); }},
    {"lag", "Lag", [](const Metrics& m) -> const Histogram& { return m.lags(); }},
    {"redirecting", "Redirecting", [](const Metrics& m) -> const Histogram& { return m.phases().redirecting; }},
    {"dns", "DNS", [](const Metrics& m) -> const Histogram& { return m.phases().dns; }},
    {"connect", "Connect", [](const Metrics& m) -> const Histogram& { return m.phases().connect; }},
    {"tls", "TLS", [](const Metrics& m) -> const Histogram& { return m.phases().tls; }},
    {"first_byte", "First byte", [](const Metrics& m) -> const Histogram& { return m.phases().first_byte; }},
    {"transfer", "Transfer", [](const Metrics& m) -> const Histogram& { return m.phases().transfer; }},
}};
// The parts that a hit goes through, in their order.
inline constexpr std::span<const Times> kPhases = std::span(kTimes).subspan(4);

}  // namespace thrum::report
