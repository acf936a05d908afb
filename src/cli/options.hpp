// Everything the command line can set, with its defaults: the modes' own requests, and what is true for every command.
// The flag tables (flags/) bind each flag to one place in here; a test holds that the defaults shown are these.
#pragma once

#include "mode/attack.hpp"
#include "mode/capacity.hpp"
#include "mode/doctor.hpp"
#include "mode/encode.hpp"
#include "mode/plot.hpp"
#include "mode/report.hpp"
#include "mode/run.hpp"
#include "mode/serve.hpp"
#include "mode/shape.hpp"

namespace thrum::cli {

struct Options {
  bool help = false;
  bool version = false;
  std::string config;        // a file of settings; empty: thrum.toml, where there is one; "none"
  std::string write_config;  // a file to write them to; empty: none
  std::string profile;       // of thrum itself: "cpu", "heap"; empty: none
  mode::AttackRequest attack;
  mode::ReportRequest report;
  mode::PlotRequest plot;
  mode::EncodeOptions encode;
  mode::CapacityRequest capacity;  // its attack is the one above
  mode::RunRequest run;            // likewise
  mode::ShapeRequest shape;
  mode::DoctorRequest doctor;
  mode::ServeOptions serve;
};

}  // namespace thrum::cli
