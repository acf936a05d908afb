// What a shape of stages is made of: pieces, each with a closed form for "how many hits by then" and for its inverse.
//
// Counts are in nano-hits (billionths of a hit) on 128 bits, so that what is exact stays so: the ends of pieces, and every hit of
// a level rate. Within ramps and waves 64-bit mantissas are good for a nanosecond after 10^9 hits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thrum/shape.hpp"

namespace thrum::load {

using NanoHits = __int128;
inline constexpr NanoHits kOneHit = 1'000'000'000;

struct Piece {
  enum class Kind : std::uint8_t {
    level,   // `from`
    ramp,    // `from` to `to`, in a straight line
    sine,    // around `from` by `to`
    bursts,  // the hits of `from` at once, every from.per
  };
  Kind kind = Kind::level;
  Rate from, to;
  Nanos length = Nanos::max();  // Nanos::max(): without end
  Nanos period{0};              // sine
  double phase = 0;             // sine: radians at the start
  // Set by ShapeParts::add().
  Nanos start{0};
  NanoHits before = 0;  // counted when it begins

  bool is_endless() const { return length == Nanos::max(); }
  NanoHits counted(Nanos into) const;  // from its start
  Nanos reached(NanoHits hits) const;  // how far into it the count exceeds `hits`
  double rate_at(Nanos into) const;    // per second
  double peak() const;
};

struct ShapeParts {
  static constexpr std::size_t kMostPieces = 100'000;

  std::vector<Piece> pieces;
  std::vector<Shape::Stage> stages;  // one for each piece
  bool is_random = false;
  Nanos length{0};  // of all, Nanos::max(): without end
  NanoHits size = 0;

  // False: the times or counts are longer than can be kept.
  bool add(Piece piece, std::string text);
  const Piece& at_count(NanoHits hits) const;
  const Piece& at_time(Nanos t) const;
};

}  // namespace thrum::load
