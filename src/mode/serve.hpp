// Room mode: what a person asks for, by composition only. It must not know sockets or escape codes.
//
// serve: the built-in target, until it is stopped. It runs on the caller's thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "thrum/error.hpp"
#include "thrum/result.hpp"  // Nanos

namespace thrum::mode {

struct ServeOptions {
  std::string addr = "127.0.0.1:18080";  // -addr HOST:PORT, plain HTTP; port 0: a free one; no host: all interfaces
  std::string tls_addr = {};             // -tls HOST:PORT, HTTPS beside it; empty: none
  // The certificate that -tls shows, PEM; empty: one is made at start for 127.0.0.1, ::1, localhost, this machine's name and
  // the host of -tls.
  std::string cert_file = {};  // -cert
  std::string key_file = {};   // -key; empty: the key is in cert_file
  std::string cert_out = {};   // -cert-out: where the certificate made at start is written, for clients to trust (-root-certs)
  std::string log = {};        // -log: a file for a line of JSON each request; empty: none
  unsigned workers = 4;        // -workers: of /api/report, at least 1
  Nanos work{25'000'000};      // -work: how long a report takes one of them
};

// Ends run_serve(). stop() may be called from any thread and from a signal handler, before, during and after the run.
//
//   static mode::ServeStop* stop;
//   void on_signal(int) { stop->stop(); }
class ServeStop {
 public:
  ServeStop();
  void stop() noexcept;
  int descriptor() const { return event_.get(); }  // readable once stopped

 private:
  Fd event_;
};

// Where the words go: each call is one whole line without its newline.
struct ServeHooks {
  std::function<void(std::string_view)> say = {};   // the product: what it listens on, and a line to attack it with
  std::function<void(std::string_view)> warn = {};  // something a person should know: out of descriptors
};

// Serves until stopped. Requests in progress then are cut. Errors: options that make no sense together, an address that can't
// be listened on, certificate files that can't be read or written.
Expected<void> run_serve(const ServeOptions& options, const ServeStop& stop, const ServeHooks& hooks);

}  // namespace thrum::mode
