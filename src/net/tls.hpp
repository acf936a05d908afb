// The client's side of TLS for one thread.
#pragma once

#include "thrum/attacker.hpp"  // TlsOptions

namespace thrum::net {

// Costs nothing until the first TLS link needs it.
class TlsClient {
 public:
  explicit TlsClient(TlsOptions options) : options_(std::move(options)) {}

 private:
  TlsOptions options_;
};

}  // namespace thrum::net
