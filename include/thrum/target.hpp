// What to send: a request blueprint, and where blueprints come from.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "thrum/error.hpp"

namespace thrum {

// Immutable bytes that many targets can share (a body file named by each of them is read once).
using SharedBytes = std::shared_ptr<const std::string>;

struct Target {
  std::string method = "GET";
  std::string url = {};                                           // absolute, http:// or https://
  std::vector<std::pair<std::string, std::string>> headers = {};  // in order, repeated names allowed, case kept on HTTP/1.1
  SharedBytes body = {};                                          // null: no body
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
