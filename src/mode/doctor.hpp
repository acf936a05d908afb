// What of this machine figures would suffer from, before a run: each finding with its number and its cure. Composition only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mode/checkup.hpp"
#include "thrum/error.hpp"
#include "thrum/shape.hpp"

namespace thrum::mode {

struct DoctorRequest {
  std::optional<Shape> shape{};   // the rate that is planned; none: not known
  std::uint64_t connections = 0;  // open at once; 0: not known
  bool keep_alive = true;
  std::string url{};  // of the target; empty: none in particular
  bool json = false;
};

struct Diagnosis {
  std::string text;
  bool has_warnings = false;
};
// Takes a third of a second, for the timers. An error: a URL that is none.
Expected<Diagnosis> run_doctor(const DoctorRequest& request);

std::string findings_as_text(std::span<const Finding> findings);
std::string findings_as_json(std::span<const Finding> findings);

}  // namespace thrum::mode
