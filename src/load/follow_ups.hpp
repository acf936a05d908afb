// The requests that follow redirects. One that follows a static target (or another such request) is prepared once and kept, so
// that a redirect seen before costs a look-up. What is kept is bounded: beyond it, as for targets that are read lazily, a
// request is made for the one hit. Belongs to a shard.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "load/plan.hpp"

namespace thrum::load {

class FollowUps {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  explicit FollowUps(Routes& routes, const Boundary* boundary = nullptr) : routes_(routes), boundary_(boundary) {}

  // What follows `from`, which was answered with a redirect of this status to `location`. One that is_owned is the caller's.
  Expected<const Request*> next(const Request& from, int status, std::string_view location);
  std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  struct Key {
    const Request* from;
    bool repeats;
    std::string_view location;  // of the entry's own text, once it is kept
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>{}(key.location) ^ (std::hash<const void*>{}(key.from) * 2 + (key.repeats ? 1 : 0));
    }
  };
  struct Entry {
    std::string location;
    Request request;
  };

  Routes& routes_;
  const Boundary* boundary_;  // null: redirects may lead anywhere
  std::unordered_map<Key, std::unique_ptr<Entry>, Hash> kept_;
  std::size_t kept_bytes_ = 0;
};

}  // namespace thrum::load
