// What the tables of flags share: how a value comes to its place in Options.
#pragma once

#include <chrono>
#include <iterator>
#include <span>
#include <utility>

#include "base/size.hpp"
#include "cli/flag.hpp"
#include "cli/options.hpp"
#include "cli/value.hpp"

namespace thrum::cli {

using Text = std::string_view;

template <class To, class From>
inline Expected<void> put(To& to, Expected<From> value) {
  if (!value) return std::unexpected(std::move(value.error()));
  to = std::move(*value);
  return {};
}

inline Expected<void> put_text(std::string& to, Text value) {
  to = value;
  return {};
}

inline Expected<void> put_output(std::string& to, Text value) {
  if (value.empty()) return usage_error("needs a file's name, or stdout");
  to = value == "-" ? "stdout" : value;
  return {};
}

inline Expected<void> put_proxy(mode::AttackRequest& to, Text value) {
  if (value.empty()) return usage_error("needs a proxy, like http://proxy.test:3128, or none");
  to.heeds_environment = false;
  to.options.proxy.url = value == "none" ? "" : value;
  return {};
}

template <class T>
Expected<void> append(std::vector<T>& to, Expected<std::vector<T>> more) {
  if (!more) return std::unexpected(std::move(more.error()));
  to.insert(to.end(), std::make_move_iterator(more->begin()), std::make_move_iterator(more->end()));
  return {};
}

inline Expected<void> put_format(TargetFormat& to, Text value) {
  const auto word = read_choice(value, "http json");
  if (!word) return std::unexpected(word.error());
  return put(to, parse_target_format(*word));
}

inline Expected<void> put_encoding(Encoding& to, Text value) {
  const auto word = read_choice(value, "native gob json csv");
  if (!word) return std::unexpected(word.error());
  to = *encoding_named(*word);
  return {};
}

// Of one rate that stays.
inline Expected<void> put_per_second(double& into, std::string_view v) {
  const auto shape = read_pace(v);
  if (!shape) return std::unexpected(shape.error());
  if (!shape->stages().empty()) return usage_error("one rate is needed, as in 100/s");
  into = shape->peak();
  return {};
}

inline Expected<void> put_trial(Nanos& into, std::string_view v) {
  const auto time = read_duration(v);
  if (!time) return std::unexpected(time.error());
  if (*time < std::chrono::milliseconds(500)) return usage_error("too short to see anything; give 500ms at least");
  into = *time;
  return {};
}

inline constexpr Command kAttack = Command::attack, kReport = Command::report, kPlot = Command::plot, kEncode = Command::encode,
                         kShape = Command::shape, kCapacity = Command::capacity, kDoctor = Command::doctor, kServe = Command::serve,
                         kRun = Command::run;

inline constexpr CommandSet kSenders = kAttack | kCapacity | kRun;

// Parts of flag_table(), in its order.
std::span<const Flag> sending_flags();
std::span<const Flag> expectation_flags();
std::span<const Flag> connection_flags();
std::span<const Flag> guard_flags();
std::span<const Flag> result_flags();
std::span<const Flag> other_flags();
std::span<const Flag> run_flags();

}  // namespace thrum::cli
