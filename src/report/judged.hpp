// One gate (-fail-if), once judged; see gates.hpp.
#pragma once

#include <string>

namespace thrum::report {

struct Judged {
  std::string gate;   // as typed
  std::string value;  // what it came to: "312ms", "99.21%", "no data"
  bool is_crossed = false;
};

}  // namespace thrum::report
