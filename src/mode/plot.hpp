// A plot of results: one HTML page that needs nothing else. Composition only: record -> report. It runs on the caller's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"

namespace thrum::mode {

struct PlotRequest {
  std::vector<std::string> inputs{};  // results files; "stdin" and "-" are standard input, and so are none
  std::string title = "thrum plot";   // of the page
  std::uint64_t threshold = 4000;     // points of a series to show, at least 3; 0: all
  std::string output = "stdout";      // a file, or stdout
  bool force = false;                 // may overwrite a file of results
  bool strict = false;                // damaged input is an error
};

// Each call is one whole line without its newline, for a person.
struct PlotHooks {
  std::function<void(std::string_view)> warn;
};

class Plot {
 public:
  // Errors are what contradicts itself in `request`; nothing is opened yet.
  static Expected<std::unique_ptr<Plot>> create(PlotRequest request, PlotHooks hooks);
  virtual ~Plot() = default;

  // Blocks until the results have ended and the page is out. An error of kind broken_pipe: the reader of the page left.
  virtual Expected<void> run() = 0;

  // From any thread or signal handler. stop(): results that come through a pipe are still read to their end; files are read
  // no further. cut(): nothing is read any more. What was read until then is plotted, with a warning.
  virtual void stop() noexcept = 0;
  virtual void cut() noexcept = 0;
};

}  // namespace thrum::mode
