// Rates and shapes: exact arithmetic on 128 bits, so that hit 10^9 is due to the nanosecond.
#include "thrum/shape.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "load/rate.hpp"
#include "load/shape_parts.hpp"

namespace thrum {
namespace {

using Wide = __int128;
constexpr std::int64_t kBillion = 1'000'000'000;

Nanos due_in(const load::ShapeParts& parts, load::NanoHits hits) {
  const load::Piece& piece = parts.at_count(hits);
  const Nanos into = piece.reached(hits - piece.before);
  return into >= Nanos::max() - piece.start ? Nanos::max() : piece.start + into;
}

}  // namespace

Shape::Shape(std::shared_ptr<const load::ShapeParts> parts) : parts_(std::move(parts)) {}

Shape Shape::constant(Rate rate) {
  Shape s;
  s.rate_ = rate;
  return s;
}

Shape Shape::closed() {
  Shape s;
  s.closed_ = true;
  return s;
}

bool Shape::is_random() const { return parts_ != nullptr && parts_->is_random; }

// due(n) = floor(n * per * 10^9 / nano_hits)
Nanos Shape::due(std::uint64_t n) const {
  if (parts_ != nullptr) {
    const load::NanoHits hits = static_cast<load::NanoHits>(n) * load::kOneHit;
    if (hits >= parts_->size) return Nanos::max();
    return due_in(*parts_, hits);
  }
  const Wide scaled = static_cast<Wide>(n) * rate_.per.count();
  if (scaled > (static_cast<Wide>(1) << 126) / kBillion) return Nanos::max();
  const Wide at = scaled * kBillion / rate_.nano_hits;
  return at > static_cast<Wide>(INT64_MAX) ? Nanos::max() : Nanos(static_cast<std::int64_t>(at));
}

Nanos Shape::due_when(long double hits) const {
  if (parts_ == nullptr) {
    const long double at =
        hits * static_cast<long double>(kBillion) / static_cast<long double>(rate_.nano_hits) * static_cast<long double>(rate_.per.count());
    return at >= static_cast<long double>(INT64_MAX) ? Nanos::max() : Nanos(static_cast<std::int64_t>(at));
  }
  const long double scaled = hits * static_cast<long double>(load::kOneHit);
  if (scaled >= static_cast<long double>(parts_->size)) return Nanos::max();
  return due_in(*parts_, static_cast<load::NanoHits>(scaled));
}

long double Shape::expected(Nanos t) const {
  if (t.count() <= 0) return 0;
  if (parts_ == nullptr)
    return static_cast<long double>(t.count()) * static_cast<long double>(rate_.nano_hits) / static_cast<long double>(kBillion) /
           static_cast<long double>(rate_.per.count());
  t = std::min(t, parts_->length);
  const load::Piece& piece = parts_->at_time(t - Nanos(1));
  return static_cast<long double>(piece.before + piece.counted(t - piece.start)) / static_cast<long double>(load::kOneHit);
}

// The least n with due(n) >= t, that is ceil(t * rate) up to the rounding down in due().
std::uint64_t Shape::hits_before(Nanos t) const {
  if (t.count() <= 0) return 0;
  if (parts_ != nullptr) {
    if (parts_->length != Nanos::max()) t = std::min(t, parts_->length);
    const load::Piece& piece = parts_->at_time(t - Nanos(1));
    const load::NanoHits counted = piece.before + piece.counted(t - piece.start);
    const load::NanoHits whole = std::min<load::NanoHits>((counted + load::kOneHit - 1) / load::kOneHit, INT64_MAX);
    auto n = static_cast<std::uint64_t>(whole);
    while (n > 0 && due(n - 1) >= t) --n;  // what rounding left, one or none
    while (due(n) < t) ++n;
    return n;
  }
  const Wide per = static_cast<Wide>(rate_.per.count()) * kBillion;
  const Wide n = (static_cast<Wide>(t.count()) * rate_.nano_hits + per - 1) / per;
  if (n > static_cast<Wide>(INT64_MAX)) return INT64_MAX;
  return static_cast<std::uint64_t>(n);
}

double Shape::rate_at(Nanos t) const {
  if (closed_) return 0;
  if (parts_ == nullptr) return rate_.per_second();
  if (t >= parts_->length) return 0;
  const load::Piece& piece = parts_->at_time(t);
  return piece.rate_at(t - piece.start);
}

double Shape::peak() const {
  if (parts_ == nullptr) return rate_at(Nanos(0));
  double highest = 0;
  for (const load::Piece& piece : parts_->pieces) highest = std::max(highest, piece.peak());
  return highest;
}

std::optional<Nanos> Shape::length() const {
  if (parts_ == nullptr || parts_->length == Nanos::max()) return std::nullopt;
  return parts_->length;
}

std::span<const Shape::Stage> Shape::stages() const {
  if (parts_ == nullptr) return {};
  return parts_->stages;
}

std::string Shape::text() const {
  if (closed_) return "0";
  if (parts_ == nullptr) return load::rate_text(rate_);
  std::string all = parts_->is_random ? "poisson " : "";
  for (const Stage& stage : parts_->stages) {
    if (&stage != &parts_->stages.front()) all += ", ";
    all += stage.text;
  }
  return all;
}

}  // namespace thrum
