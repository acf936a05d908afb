#include "mode/capacity_search.hpp"

#include <algorithm>
#include <cmath>

namespace thrum::mode {
namespace {

// To three digits, so that people can type it.
double rounded(double rate) {
  const double unit = std::pow(10, std::floor(std::log10(rate)) - 2);
  return std::round(rate / unit) * unit;
}

}  // namespace

std::optional<CapacitySearch::Trial> CapacitySearch::next() const {
  if (is_over_) return {};
  if (is_confirming_) return Trial{low_, options_.confirm, true};
  double rate = options_.from;
  if (low_ > 0 && high_ == kNone)
    rate = low_ * 2;
  else if (low_ == 0 && high_ != kNone)
    rate = high_ / 2;
  else if (low_ > 0)
    rate = std::sqrt(low_ * high_);
  return Trial{std::min(rounded(rate), ceiling_), options_.step, false};
}

void CapacitySearch::tell_confirmation(Outcome outcome) {
  if (outcome == Outcome::held) {
    if (++confirmed_ < options_.confirmations) return;
    proven_ = low_;
  } else if (outcome == Outcome::failed) {
    high_ = low_;
  } else {
    ceiling_ = std::min(ceiling_, low_);
  }
  confirmed_ = 0;
  if (proven_ == 0) {
    // It held for a while, and not for longer. Down, the further the more often.
    low_ = rounded(low_ / (1 + options_.precision * std::exp2(refuted_++)));
    is_over_ = low_ < kLowest;
    return;
  }
  // On the way down it may have gone too far.
  const double next = high_ == kNone ? proven_ : rounded(std::sqrt(proven_ * high_));
  is_over_ = high_ <= proven_ * (1 + 2 * options_.precision) || next <= proven_ || next >= high_ || next >= ceiling_;
  low_ = is_over_ ? proven_ : next;
}

void CapacitySearch::tell(Outcome outcome) {
  const auto trial = next();
  if (!trial) return;
  unsent_ = outcome == Outcome::own_limit ? unsent_ + 1 : 0;
  if (unsent_ > 0 && unsent_ < options_.own_limits) return;
  unsent_ = 0;
  if (is_confirming_) return tell_confirmation(outcome);
  switch (outcome) {
    case Outcome::held:
      low_ = trial->rate;
      break;
    case Outcome::failed:
      high_ = trial->rate;
      is_over_ = low_ == 0 && high_ < 2 * kLowest;
      break;
    case Outcome::own_limit:
      // Between what could be sent and what could not there is no more to be learned.
      if (low_ > 0)
        ceiling_ = low_;
      else
        ceiling_ = options_.from = trial->rate / 2;
      is_over_ = ceiling_ < kLowest;
      break;
  }
  // Where rounding leaves no rate between the two, they are as near as they get.
  const bool has_no_between =
      low_ > 0 && high_ != kNone && (rounded(std::sqrt(low_ * high_)) <= low_ || rounded(std::sqrt(low_ * high_)) >= high_);
  is_confirming_ = low_ > 0 && (is_near() || has_no_between);
}

}  // namespace thrum::mode
