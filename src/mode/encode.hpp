// encode: results of any encoding and any number of files to one encoding.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "record/encoding.hpp"
#include "thrum/error.hpp"

namespace thrum::mode {

struct EncodeOptions {
  std::vector<std::string> inputs;  // "stdin" and "-" are standard input; none: standard input
  Encoding to = Encoding::json;     // -to
  std::string output = "stdout";    // -output
  bool csv_header = false;          // -csv-header: a first row that names the columns
  bool strict = false;              // -strict: damaged input fails
  bool force = false;               // -force: even over a file of recorded results
};

struct EncodeHooks {
  std::function<void(std::string_view)> warn;  // a whole line without its newline: what of an input could not be read
};

// Returns how many results there were. Results of several inputs come in turn, one of each; native output has run after run
// instead. An error leaves everything before it written; ErrorKind::broken_pipe when the output's reader went away (SIGPIPE must
// be ignored or blocked).
Expected<std::uint64_t> run_encode(const EncodeOptions& options, const EncodeHooks& hooks);

}  // namespace thrum::mode
