// All results of one run, packed: what a plot needs of each, about eleven bytes a result. A plot looks at its points in order of
// time more than once, and results come in the order in which they ended; so points are sorted in blocks as they come, each
// block is packed, and a look merges the blocks that overlap.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "report/plot_store.hpp"
#include "thrum/result.hpp"

namespace thrum::report {

struct PlotPoint {
  std::int64_t sent = 0;                     // nanoseconds from an instant that the owner of the store chose
  std::int64_t latency = 0;                  // service latency, nanoseconds
  std::int64_t lag = Result::kNone.count();  // nanoseconds, or that value: unknown
  std::uint64_t seq = 0;
  std::uint32_t kind = 0;  // what came of it, as the owner numbers it

  bool has_lag() const { return lag != Result::kNone.count(); }
  bool before(const PlotPoint& o) const { return sent != o.sent ? sent < o.sent : seq < o.seq; }
};

class PlotPoints {
 public:
  // `store` holds the packed points, of other runs too.
  explicit PlotPoints(PlotStore& store) : store_(store) {}
  void add(const PlotPoint& point) {
    pending_.push_back(point);
    if (pending_.size() == kBlock) pack();
  }
  // No more are added.
  void seal();

  std::uint64_t count() const { return count_ + pending_.size(); }

  // Calls visit(point) for every point, in order of time sent, and of sequence number where times are equal. Sealed only.
  template <class Visit>
  void each(Visit&& visit) const {
    for (Merge merge(*this); const PlotPoint* point = merge.next();) visit(*point);
  }

 private:
  static constexpr std::size_t kBlock = 2048;

  struct Block {
    PlotPoint first;
    std::uint32_t points = 0;
    PlotStore::Piece rest;  // the others, each as differences to the one before
  };
  // Walks through one block.
  class Cursor {
   public:
    Cursor(const Block& block, const PlotStore& store);
    const PlotPoint& point() const { return point_; }
    bool next();  // false: that was the last

   private:
    static constexpr std::size_t kWindow = 2048;  // bytes of a piece in the file that are at hand
    static constexpr std::size_t kMostPerPoint = 50;

    std::uint64_t number();
    void refill();

    PlotPoint point_;
    const char* at_;
    std::uint32_t left_;
    // Only of a block whose rest is in the file:
    const Block* block_ = nullptr;
    const PlotStore* store_ = nullptr;
    std::unique_ptr<char[]> window_;
    const char* end_ = nullptr;  // of what the window holds
    std::size_t offset_ = 0;     // in the piece, of what follows the window
  };
  // Walks through all of them, with a heap of the blocks that have begun.
  class Merge {
   public:
    explicit Merge(const PlotPoints& points) : blocks_(points.blocks_), store_(points.store_) {}
    const PlotPoint* next();

   private:
    static bool later(const Cursor& a, const Cursor& b) { return b.point().before(a.point()); }
    void begin_due_blocks();

    const std::vector<Block>& blocks_;  // in order of their first points
    const PlotStore& store_;
    std::size_t begun_ = 0;
    std::vector<Cursor> heap_;
    bool gave_ = false;  // the top has been handed out and must move on
  };

  void pack();

  PlotStore& store_;
  std::vector<PlotPoint> pending_;
  std::vector<Block> blocks_;
  std::uint64_t count_ = 0;  // in blocks
};

}  // namespace thrum::report
