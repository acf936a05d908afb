// What a file is, told by its first bytes alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "record/encoding.hpp"

namespace thrum {

struct Recognised {
  std::optional<Encoding> encoding;
  std::string instead;  // where it is no results: what it is, and what to do with it
};

// Nothing: `head` is not enough to tell (never so with 512 bytes, or when the input has `ended`).
std::optional<Recognised> recognise(std::string_view head, bool ended);

}  // namespace thrum
