// What to send: a request blueprint, and where blueprints come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/expectation.hpp"

namespace thrum {

// Immutable bytes that many targets can share: a body file named by each of them is there once. Made from a shared string, or
// from bytes that somebody else keeps. Large files are mapped, not read: their bytes are only to be handed to the kernel, or
// copied by who knows how (a file that is cut short meanwhile takes what lies in memory with it).
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::nullptr_t) {}                        // NOLINT(google-explicit-constructor): none
  SharedBytes(std::shared_ptr<const std::string> text)  // NOLINT(google-explicit-constructor): what they were made from before
      : bytes_(text ? std::string_view(*text) : std::string_view()), owner_(std::move(text)) {}
  SharedBytes(std::shared_ptr<std::string> text)  // NOLINT(google-explicit-constructor): likewise
      : SharedBytes(std::shared_ptr<const std::string>(std::move(text))) {}
  // `bytes` live as long as `owner`.
  SharedBytes(std::string_view bytes, std::shared_ptr<const void> owner) : bytes_(bytes), owner_(std::move(owner)) {}

  explicit operator bool() const { return owner_ != nullptr; }
  std::string_view operator*() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  void reset() { *this = SharedBytes(); }
  // Whether they are the same bytes, not equal ones.
  friend bool operator==(const SharedBytes& a, const SharedBytes& b) { return a.owner_ == b.owner_ && a.bytes_.data() == b.bytes_.data(); }
  friend bool operator==(const SharedBytes& a, std::nullptr_t) { return a.owner_ == nullptr; }

 private:
  std::string_view bytes_;
  std::shared_ptr<const void> owner_;
};

inline constexpr std::uint32_t kHeaviestTarget = 1'000'000;  // most that a target may weigh

struct Target {
  std::string method = "GET";
  std::string url = {};                                           // absolute, http:// or https://
  std::vector<std::pair<std::string, std::string>> headers = {};  // in order, repeated names allowed, case kept on HTTP/1.1
  SharedBytes body = {};                                          // null: no body
  std::string name = {};                                          // of the target, for people: kept in its results; empty: none
  std::string request_target = {};                                // what the request line asks for; empty: the URL's path and query
  Expectations expect = {};                                       // beside the attack's, of responses to this target
  std::uint32_t weight = 0;  // its share of the hits, beside the other targets'; 0: none given, which counts as 1
};

// Yields targets one by one. Called from one thread at a time, never from a sending thread.
class TargetSource {
 public:
  virtual ~TargetSource() = default;
  // The next target into `into` (whatever it held is replaced). false: there are no more. An error ends the attack.
  virtual Expected<bool> next(Target& into) = 0;
  // From another thread or a signal handler (so: no locks): the attack is over; a next() that waits for input returns false
  // soon, and so do later ones.
  virtual void interrupt() = 0;
};

}  // namespace thrum
