#include "load/shape_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace thrum::load {
namespace {

constexpr long double kTurn = 2 * std::numbers::pi_v<long double>;
constexpr NanoHits kMost = static_cast<NanoHits>(INT64_MAX) * kOneHit;
constexpr Nanos kLongest = std::chrono::hours(24 * 365 * 100);

long double per_nano(const Rate& rate) {
  return static_cast<long double>(rate.nano_hits) / static_cast<long double>(kOneHit) / static_cast<long double>(rate.per.count());
}

NanoHits level_count(const Rate& rate, Nanos time) { return static_cast<NanoHits>(rate.nano_hits) * time.count() / rate.per.count(); }

NanoHits nano_hits(long double hits) { return static_cast<NanoHits>(std::floor(hits * static_cast<long double>(kOneHit))); }

// How far a wave's count is ahead of its mean's, `into` a period.
long double swing(const Piece& p, long double into) {
  const long double period = static_cast<long double>(p.period.count());
  const long double phase = p.phase;
  return per_nano(p.to) * period / kTurn * (std::cos(phase) - std::cos(kTurn * into / period + phase));
}

// Into a period, where the count reaches `hits`, which are less than a period's. Newton's steps, kept between bounds.
long double wave_reached(const Piece& p, long double hits) {
  const long double mean = per_nano(p.from), swinging = per_nano(p.to), period = static_cast<long double>(p.period.count());
  long double low = 0, high = period, t = hits / mean;
  for (int i = 0; i < 100 && high - low > 1e-3L; ++i) {
    const long double off = mean * t + swing(p, t) - hits;
    (off > 0 ? high : low) = t;
    const long double slope = mean + swinging * std::sin(kTurn * t / period + p.phase);
    const long double step = slope > 0 ? off / slope : 0;
    const long double next = t - step;
    const bool is_inside = slope > 0 && next > low && next < high;
    if (is_inside && std::abs(step) < 1e-4L) return next;
    t = is_inside ? next : (low + high) / 2;
  }
  return t;
}

}  // namespace

NanoHits Piece::counted(Nanos into) const {
  into = std::min(into, length);
  if (into.count() <= 0) return 0;
  switch (kind) {
    case Kind::level:
      return level_count(from, into);
    case Kind::bursts: {
      const NanoHits bursts = (static_cast<NanoHits>(into.count()) + from.per.count() - 1) / from.per.count();
      return bursts * from.nano_hits;
    }
    case Kind::ramp: {
      if (into == length) return (level_count(from, length) + level_count(to, length)) / 2;
      const long double t = static_cast<long double>(into.count());
      const long double r = per_nano(from), slope = (per_nano(to) - r) / static_cast<long double>(length.count());
      return nano_hits(t * (r + slope * t / 2));
    }
    case Kind::sine: {
      const NanoHits periods = into / period;
      const Nanos rest = into % period;
      const NanoHits whole = level_count(from, Nanos(period.count() * static_cast<std::int64_t>(periods)));
      return whole + level_count(from, rest) + nano_hits(swing(*this, static_cast<long double>(rest.count())));
    }
  }
  return 0;
}

Nanos Piece::reached(NanoHits hits) const {
  if (hits < 0) hits = 0;
  long double t = 0;
  switch (kind) {
    case Kind::level: {
      if (from.nano_hits == 0) return length;
      if (hits > (static_cast<NanoHits>(1) << 126) / from.per.count()) return length;
      const NanoHits at = hits * from.per.count() / from.nano_hits;
      return Nanos(static_cast<std::int64_t>(std::min<NanoHits>(at, length.count())));
    }
    case Kind::bursts: {
      if (hits > (static_cast<NanoHits>(1) << 126) / from.per.count()) return length;
      const NanoHits at = hits / from.nano_hits * from.per.count();
      return Nanos(static_cast<std::int64_t>(std::min<NanoHits>(at, length.count())));
    }
    case Kind::ramp: {
      const long double x = static_cast<long double>(hits) / static_cast<long double>(kOneHit);
      const long double r = per_nano(from), slope = (per_nano(to) - r) / static_cast<long double>(length.count());
      const long double root = std::sqrt(std::max(0.0L, r * r + 2 * slope * x));
      t = r + root > 0 ? 2 * x / (r + root) : 0;
      break;
    }
    case Kind::sine: {
      const NanoHits in_period = level_count(from, period);
      const NanoHits periods = hits / in_period;
      const long double rest = static_cast<long double>(hits % in_period) / static_cast<long double>(kOneHit);
      t = static_cast<long double>(periods) * static_cast<long double>(period.count()) + wave_reached(*this, rest);
      break;
    }
  }
  const long double most = static_cast<long double>(length.count());
  return t >= most ? length : Nanos(static_cast<std::int64_t>(t));
}

double Piece::rate_at(Nanos into) const {
  const double a = static_cast<double>(per_nano(from)) * 1e9, b = static_cast<double>(per_nano(to)) * 1e9;
  const double t = static_cast<double>(into.count());
  switch (kind) {
    case Kind::level:
    case Kind::bursts:
      return a;
    case Kind::ramp:
      return a + (b - a) * std::clamp(t / static_cast<double>(length.count()), 0.0, 1.0);
    case Kind::sine:
      return a +
             b * std::sin(2 * std::numbers::pi * std::fmod(t, static_cast<double>(period.count())) / static_cast<double>(period.count()) +
                          phase);
  }
  return 0;
}

double Piece::peak() const {
  const double a = static_cast<double>(per_nano(from)) * 1e9, b = static_cast<double>(per_nano(to)) * 1e9;
  if (kind == Kind::ramp) return std::max(a, b);
  return kind == Kind::sine ? a + b : a;
}

bool ShapeParts::add(Piece piece, std::string text) {
  if (pieces.size() >= kMostPieces) return false;
  piece.start = length;
  piece.before = size;
  stages.push_back({piece.start, piece.is_endless() ? std::nullopt : std::optional(piece.length), std::move(text), piece.rate_at(Nanos(0)),
                    piece.rate_at(piece.is_endless() ? Nanos(0) : piece.length)});
  pieces.push_back(piece);
  if (piece.is_endless()) {
    length = Nanos::max();
    size = kMost;
    return true;
  }
  if (piece.length > kLongest - length) return false;
  length += piece.length;
  size += piece.counted(piece.length);
  return size < kMost;
}

// The last one that begins at or before that count: a hit that is due at the end of one piece belongs to the next.
const Piece& ShapeParts::at_count(NanoHits hits) const {
  const auto after = std::ranges::upper_bound(pieces, hits, {}, &Piece::before);
  return after == pieces.begin() ? pieces.front() : *std::prev(after);
}

const Piece& ShapeParts::at_time(Nanos t) const {
  const auto after = std::ranges::upper_bound(pieces, t, {}, &Piece::start);
  return after == pieces.begin() ? pieces.front() : *std::prev(after);
}

}  // namespace thrum::load
