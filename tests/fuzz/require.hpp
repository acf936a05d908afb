// What must hold, whatever the bytes.
#pragma once

#include <cstdlib>

namespace thrum::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace thrum::fuzz
