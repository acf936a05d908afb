// The headers of a result by name: encodings that keep them as a map write each name once, with all its values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "thrum/result.hpp"

namespace thrum {

class HeaderGroups {
 public:
  struct Group {
    std::span<const std::uint32_t> headers;  // indexes, in order
  };
  enum class Order : std::uint8_t { first_seen, by_name };

  // Groups of `headers`; they live until the next call.
  std::span<const Group> of(std::span<const Header> headers, Order order) {
    indexes_.resize(headers.size());
    for (std::uint32_t i = 0; i < indexes_.size(); ++i) indexes_[i] = i;
    std::sort(indexes_.begin(), indexes_.end(), [&](std::uint32_t a, std::uint32_t b) {
      const int names = headers[a].name.compare(headers[b].name);
      return names != 0 ? names < 0 : a < b;
    });
    groups_.clear();
    for (std::size_t from = 0, to = 0; from < indexes_.size(); from = to) {
      while (to < indexes_.size() && headers[indexes_[to]].name == headers[indexes_[from]].name) ++to;
      groups_.push_back({std::span<const std::uint32_t>(indexes_).subspan(from, to - from)});
    }
    if (order == Order::first_seen)
      std::sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) { return a.headers.front() < b.headers.front(); });
    return groups_;
  }

 private:
  std::vector<std::uint32_t> indexes_;
  std::vector<Group> groups_;
};

}  // namespace thrum
