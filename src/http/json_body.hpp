// A body read as JSON for the sake of some values in it. The document is never held: it may be as large, and as full of brackets, as
// a hostile server likes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/json_path.hpp"

namespace thrum::http {

struct JsonValue {
  enum class Kind : std::uint8_t { missing, null, boolean, number, text, list, object };

  Kind kind = Kind::missing;
  bool boolean = false;
  bool is_integer = false;  // the number has no fraction and fits in 64 bits: `integer` is all of it
  bool is_negative = false;
  std::uint64_t integer = 0;  // its distance from 0
  double number = 0;
  std::string text = {};
};

// The values at `paths`, each in its place in `into`; of two in the same place the last counts. False: the body is no JSON, or
// nested more than 256 deep.
bool read_json(std::string_view body, std::span<const JsonPath* const> paths, std::vector<JsonValue>& into);

// A number, true, false, null or a text in quotes, if that is all of `text`; else missing.
JsonValue read_json_scalar(std::string_view text);

}  // namespace thrum::http
