// Watches what goes over an attack's connections, for people who ask what is sent.
//
// Calls come on the sending threads, in the order in which things happen there. To tell which answer belongs to which request,
// give one thread and one worker.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thrum {

// Of a connection that is up. Empty where it does not apply.
struct ConnectionFacts {
  std::string peer;         // the address connected to, as "127.0.0.1:80" or "unix:/run/app.sock"
  std::string proxy;        // the proxy on the way, without passwords
  std::string tls;          // "TLSv1.3"
  std::string cipher;       // "TLS_AES_256_GCM_SHA384"
  std::string certificate;  // the peer's subject, issuer and end, in words
  bool is_resumed = false;  // the TLS session of an earlier connection
  bool is_http2 = false;
};

class ConnectionWatcher {
 public:
  virtual ~ConnectionWatcher() = default;
  virtual void on_connection(const ConnectionFacts& facts) = 0;
  // Plaintext as it goes and comes, in pieces; valid during the call. Of HTTP/2, whose heads are packed, a line for each field and
  // an empty one after them ("name: value\r\n"); bodies are as they are.
  virtual void on_sent(std::string_view bytes) = 0;
  virtual void on_received(std::string_view bytes) = 0;
  // A hit is over, with all its redirects; its Result, which has this `seq`, comes later and on another thread.
  virtual void on_end(std::uint64_t hit) = 0;
};

}  // namespace thrum
