#include "report/plot_points.hpp"

#include <algorithm>
#include <utility>

namespace thrum::report {
namespace {

// Small magnitudes of either sign as small numbers: 0, -1, 1, -2, 2 … All arithmetic here wraps, both ways alike.
std::uint64_t zigzag(std::int64_t v) { return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63); }
std::int64_t unzigzag(std::uint64_t v) { return static_cast<std::int64_t>((v >> 1) ^ (~(v & 1) + 1)); }

// Seven bits a byte, lowest first; the high bit says that more follow.
void put(std::string& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

std::uint64_t difference(std::int64_t a, std::int64_t b) { return static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b); }

}  // namespace

void PlotPoints::pack() {
  if (pending_.empty()) return;
  std::ranges::sort(pending_, &PlotPoint::before);  // equal in both: equal to anybody who looks
  Block block{pending_.front(), static_cast<std::uint32_t>(pending_.size()), {}};
  block.rest.reserve(pending_.size() * 10);
  for (std::size_t i = 1; i < pending_.size(); ++i) {
    const PlotPoint &p = pending_[i], &before = pending_[i - 1];
    put(block.rest, difference(p.sent, before.sent));
    put(block.rest, zigzag(p.latency));
    put(block.rest, zigzag(p.lag) + 1);  // an unknown lag, the least of all numbers, wraps to 0
    put(block.rest, zigzag(static_cast<std::int64_t>(p.seq - before.seq)));
    put(block.rest, p.kind);
  }
  block.rest.shrink_to_fit();
  blocks_.push_back(std::move(block));
  count_ += pending_.size();
  pending_.clear();
}

void PlotPoints::seal() {
  pack();
  pending_.shrink_to_fit();
  std::ranges::stable_sort(blocks_, [](const Block& a, const Block& b) { return a.first.before(b.first); });
}

std::size_t PlotPoints::memory() const {
  std::size_t bytes = pending_.capacity() * sizeof(PlotPoint) + blocks_.capacity() * sizeof(Block);
  for (const Block& block : blocks_) bytes += block.rest.capacity();
  return bytes;
}

PlotPoints::Cursor::Cursor(const Block& block) : point_(block.first), at_(block.rest.data()), left_(block.points - 1) {}

std::uint64_t PlotPoints::Cursor::number() {
  std::uint64_t v = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*at_++);
    v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return v;
  }
}

bool PlotPoints::Cursor::next() {
  if (left_ == 0) return false;
  --left_;
  point_.sent = static_cast<std::int64_t>(static_cast<std::uint64_t>(point_.sent) + number());
  point_.latency = unzigzag(number());
  point_.lag = unzigzag(number() - 1);
  point_.seq += static_cast<std::uint64_t>(unzigzag(number()));
  point_.kind = static_cast<std::uint32_t>(number());
  return true;
}

void PlotPoints::Merge::begin_due_blocks() {
  while (begun_ < blocks_.size() && (heap_.empty() || !heap_.front().point().before(blocks_[begun_].first))) {
    heap_.emplace_back(blocks_[begun_++]);
    std::ranges::push_heap(heap_, later);
  }
}

const PlotPoint* PlotPoints::Merge::next() {
  if (gave_) {
    if (heap_.size() == 1) {  // the usual case, in which there is nothing to order
      if (!heap_.front().next()) heap_.clear();
    } else {
      std::ranges::pop_heap(heap_, later);
      if (heap_.back().next())
        std::ranges::push_heap(heap_, later);
      else
        heap_.pop_back();
    }
  }
  begin_due_blocks();
  gave_ = !heap_.empty();
  return gave_ ? &heap_.front().point() : nullptr;
}

}  // namespace thrum::report
