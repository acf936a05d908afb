#include "report/plot_points.hpp"

#include <algorithm>
#include <cstring>
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
  std::string rest;
  rest.reserve(pending_.size() * 12);
  for (std::size_t i = 1; i < pending_.size(); ++i) {
    const PlotPoint &p = pending_[i], &before = pending_[i - 1];
    put(rest, difference(p.sent, before.sent));
    put(rest, zigzag(p.latency));
    put(rest, zigzag(p.lag) + 1);  // an unknown lag, the least of all numbers, wraps to 0
    put(rest, zigzag(static_cast<std::int64_t>(p.seq - before.seq)));
    put(rest, p.kind);
  }
  blocks_.push_back({pending_.front(), static_cast<std::uint32_t>(pending_.size()), store_.put(rest)});
  count_ += pending_.size();
  pending_.clear();
}

void PlotPoints::seal() {
  pack();
  pending_.shrink_to_fit();
  std::ranges::stable_sort(blocks_, [](const Block& a, const Block& b) { return a.first.before(b.first); });
}

PlotPoints::Cursor::Cursor(const Block& block, const PlotStore& store)
    : point_(block.first), at_(block.rest.text.data()), left_(block.points - 1) {
  if (!block.rest.is_in_file()) return;
  block_ = &block;
  store_ = &store;
  window_ = std::make_unique<char[]>(kWindow);
  at_ = end_ = window_.get();
}

// Moves what is left to the front of the window and reads on behind it.
void PlotPoints::Cursor::refill() {
  const auto kept = static_cast<std::size_t>(end_ - at_);
  std::memmove(window_.get(), at_, kept);
  const std::size_t more = store_->read(block_->rest, offset_, window_.get() + kept, kWindow - kept);
  if (more == 0) left_ = 0;  // the store knows that it has failed
  offset_ += more;
  at_ = window_.get();
  end_ = at_ + kept + more;
}

std::uint64_t PlotPoints::Cursor::number() {
  std::uint64_t v = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint8_t>(*at_++);
    v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return v;
  }
}

bool PlotPoints::Cursor::next() {
  if (block_ != nullptr && end_ - at_ < static_cast<std::ptrdiff_t>(kMostPerPoint) && offset_ < block_->rest.size) refill();
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
    heap_.emplace_back(blocks_[begun_++], store_);
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
