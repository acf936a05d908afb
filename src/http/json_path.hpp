// Where in a JSON document a value stands: ".items[0].name", with or without "$" before it, keys in quotes where they have to be.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"

namespace thrum::http {

struct JsonStep {
  std::string key;        // of an object
  std::size_t index = 0;  // of an array
  bool is_index = false;
};

struct JsonPath {
  std::vector<JsonStep> steps;  // none: the document itself
  std::size_t length = 0;       // of the path in the text it was read from, which goes on behind it
};

// Reads a path from the beginning of a text, up to the first character that can't be part of it.
Expected<JsonPath> read_json_path(std::string_view text);

}  // namespace thrum::http
