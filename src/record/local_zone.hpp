// The time zone of this process, for encodings that drop the zone and are read back as local time (CSV).
#pragma once

#include "thrum/result.hpp"

namespace thrum {

class LocalZone {
 public:
  LocalZone();
  // The offset in force then; asks the system once per quarter of an hour of results.
  std::int32_t at(std::int64_t unix_seconds);

 private:
  std::int64_t from_ = 0, to_ = 0;  // where offset_ is known to hold
  std::int32_t offset_ = 0;
};

}  // namespace thrum
