#include "record/local_zone.hpp"

#include <ctime>

namespace thrum {

LocalZone::LocalZone() { ::tzset(); }

std::int32_t LocalZone::at(std::int64_t unix_seconds) {
  // No zone ever changed its offset elsewhere than on a quarter of an hour of UTC, since time zones are legal time.
  constexpr std::int64_t kQuarter = 900;
  if (unix_seconds >= from_ && unix_seconds < to_) return offset_;
  std::tm local{};
  const std::time_t t = unix_seconds;
  const bool known = ::localtime_r(&t, &local) != nullptr;
  offset_ = known && local.tm_gmtoff != 0 ? static_cast<std::int32_t>(local.tm_gmtoff) : Timestamp::kLocalZero;
  from_ = unix_seconds - ((unix_seconds % kQuarter) + kQuarter) % kQuarter;
  to_ = from_ + kQuarter;
  return offset_;
}

}  // namespace thrum
