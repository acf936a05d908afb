// TLS on one connected socket, for either side: ciphertext comes from the socket's handler, plaintext goes to the owner, and
// back. The socket stays with the reactor and its handler, which passes on what it is told (received, sent, ended).
//
// Belongs to one thread. The owner may destroy the stream from within any of its calls.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "net/fault.hpp"
#include "net/reactor.hpp"
#include "thrum/watcher.hpp"

struct ssl_st;
struct bio_st;

namespace thrum::net {

struct SslDelete {
  void operator()(ssl_st* ssl) const;
};
using Ssl = std::unique_ptr<ssl_st, SslDelete>;

// What the streams of one thread share. The library's own buffers stay with a stream as long as the streams are few and what they read is
// small: to take and give back two for each record costs more than a page of memory. Otherwise an idle connection holds none.
struct TlsBuffers {
  static constexpr std::size_t kFewStreams = 128;
  static constexpr std::size_t kSmallRead = 4 * 1024;
  static constexpr std::size_t kPlain = 16 * 1024;  // the most that a record carries (RFC 8446 section 5.1)
  std::unique_ptr<char[]> plain;                    // decrypted bytes, on their way to an owner: room for two records
  std::unique_ptr<char[]> joined;                   // a small head and its body, so that they make one record
  std::vector<char> out;                            // ciphertext, on its way to a socket
  std::size_t streams = 0;                          // alive
};

class TlsStream {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void on_tls_up() = 0;
    virtual void on_tls_bytes(std::span<const char> bytes) = 0;  // valid during the call
    virtual void on_tls_sent() = 0;                              // a pending send has left
    virtual void on_tls_down(const Fault& fault) = 0;            // the last call; phase none: the peer said close_notify
  };

  TlsStream(Ssl ssl, Reactor& reactor, SocketId socket, TlsBuffers& buffers, Owner& owner);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Before start(): this stream lies within another, which takes its ciphertext in the socket's place and must outlive it.
  void lie_within(TlsStream& outer) { outer_ = &outer; }

  // The client's hello leaves; a server waits for one.
  void start();

  // From the socket's handler.
  void received(std::span<const char> ciphertext);
  void sent();
  void ended(int error);

  // As Reactor::send: head and body are encrypted and sent in one go; `body` must live until on_tls_sent() if it is pending.
  SendOutcome send(std::span<const char> head, std::span<const char> body = {});
  bool is_sending() const { return is_sending_; }
  // No call of the owner follows. `politely`: close_notify is said, if nothing stands before it. The socket is the caller's to close.
  void end(bool politely);

  bool is_up() const { return state_ == State::up; }
  std::string_view protocol() const;        // agreed on in ALPN; "" for none
  void tell(ConnectionFacts& facts) const;  // its part of them

 private:
  enum class State : std::uint8_t { shaking, up, down };
  friend struct TlsBio;

  bool shake();
  void decrypt();
  void keep_buffers(bool keep);
  bool encrypt(std::span<const char> plain);
  SendOutcome send_below(std::span<const char> ciphertext);
  bool is_sending_below() const;
  SendOutcome push();
  SendOutcome flush();
  void go_down(Fault fault);
  Fault fault_of_library() const;

  Ssl ssl_;
  Reactor& reactor_;
  TlsBuffers& buffers_;
  Owner& owner_;
  SocketId socket_;
  TlsStream* outer_ = nullptr;
  State state_ = State::shaking;
  bool keeps_buffers_ = false;  // the library's own, from one record to the next
  bool is_sending_ = false;     // the owner's send is not over
  bool* is_gone_ = nullptr;     // told by the destructor: a call of the owner's may end the stream
  std::span<const char> in_;    // ciphertext still to be read
  std::span<const char> rest_;  // of a body still to be encrypted
  std::vector<char> queued_;    // ciphertext that must wait for the reactor
};

}  // namespace thrum::net
