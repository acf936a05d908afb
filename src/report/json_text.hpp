// JSON as vegeta writes it, byte by byte: numbers, strings and times in the spelling of Go's encoding/json.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "thrum/result.hpp"

namespace thrum::report {

// Builds one line of JSON. Keys and values alternate inside an object; commas are its business.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& string(std::string_view text);
  JsonWriter& number(double value);  // not a number, or infinite: null
  JsonWriter& integer(std::int64_t value);
  JsonWriter& unsigned_integer(std::uint64_t value);
  JsonWriter& nanos(Nanos value) { return integer(value.count()); }
  JsonWriter& time(Timestamp value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();

 private:
  void value_follows();
  std::string& out_;
  bool comma_ = false;
};

}  // namespace thrum::report
