// One client's connection: bytes in, requests to the handler, responses out, in order. Private to the server.
//
// The server keeps connections by slot and uses them again; `serial_` names the request in progress, so that a ticket of an
// earlier one is harmless. Input that can't be looked at yet (a response is being made or sent) is held, a little of it;
// beyond that the socket is not read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/tls.hpp"
#include "serve/server.hpp"

namespace thrum::serve {

class Connection final : public net::SocketHandler, private net::TlsStream::Owner {
 public:
  Connection(Server& server, std::uint32_t slot) : server_(server), slot_(slot) {}

  void open(Fd socket, net::TlsServer* tls);
  void close(bool abort = false);
  bool is_open() const { return phase_ != Phase::closed; }
  bool awaits(std::uint32_t serial) const { return serial_ == serial && (phase_ == Phase::answering || phase_ == Phase::streaming); }
  // The ticket's: the request of that serial is waiting.
  bool answer(std::uint32_t serial, Response& response);
  void resume(std::uint32_t serial);
  // Goes on with a response that had its share of a turn.
  void go_on() { advance(); }
  // Closes it if its time has passed.
  void check_time();

  void on_connected(int) override {}
  void on_received(std::span<char> bytes) override { tls_ ? tls_->received(bytes) : take(bytes); }
  void on_skipped(std::size_t) override {}
  void on_sent() override { tls_ ? tls_->sent() : sent(); }
  void on_end(int error) override;

 private:
  void on_tls_up() override;
  void on_tls_bytes(std::span<const char> bytes) override { take(bytes); }
  void on_tls_sent() override { sent(); }
  void on_tls_down(const net::Fault& fault) override;

  enum class Phase : std::uint8_t {
    closed,
    reading,    // between requests, or in one
    answering,  // the handler has it
    streaming,  // head sent, body coming from its source
    lingering,  // FIN sent: reading on so that the peer sees what we said (RFC 9112 section 9.6)
  };
  enum class Framing : std::uint8_t { length, chunked, until_close };

  bool is_shaking_hands() const { return tls_ && !tls_->is_up(); }
  void take(std::span<const char> bytes);
  void hold(std::span<const char> bytes);
  void process(std::span<const char> bytes);
  std::size_t step(std::span<const char> bytes, const char*& body_begin);
  void head_is_complete(bool all_taken);
  void stash_body(const char* body_begin, const char* end);
  void dispatch(std::string_view raw);
  std::string_view raw_request(const char* body_begin, const char* end);
  void drop_content();
  void drop_input();

  void respond(Response& response);
  void render_head(const Response& response, bool has_body);
  void finish_response();
  void refuse(int status, std::string_view text);
  void advance();
  void go_as_far_as_possible();
  bool flush();
  bool pump();
  bool send_piece(std::span<const char> bytes);
  bool end_stream();
  bool send(std::span<const char> head, std::span<const char> body);
  void sent();
  void end_connection();

  Server& server_;
  net::SocketId socket_;
  std::unique_ptr<net::TlsStream> tls_;
  std::uint32_t slot_;
  std::uint32_t serial_ = 0;
  Instant since_{};  // by the server's clock: see check_time()
  RequestParser parser_;
  std::string content_;  // of a request whose body comes in several reads: content, or everything as it came
  std::string held_;     // input after the request in progress
  std::string backlog_;  // output that waits for the send in progress
  std::unique_ptr<BodySource> stream_;
  std::uint64_t stream_left_ = 0;  // of its length, if it has one

  Phase phase_ = Phase::closed;
  Framing framing_ = Framing::length;
  BodyUse use_ = BodyUse::discard;
  bool stashed_ : 1 = false;  // content_ holds the body so far
  bool sending_ : 1 = false;  // the reactor has not got rid of the last send
  bool paused_ : 1 = false;
  bool ended_ : 1 = false;         // the peer sent FIN
  bool close_after_ : 1 = false;   // after what is being answered
  bool input_unread_ : 1 = false;  // more came than was looked at
  bool starved_ : 1 = false;       // the stream had nothing to say
  bool stream_ended_ : 1 = false;  // it has said its last
  bool is_head_ : 1 = false;       // of the request in progress
  bool asks_close_ : 1 = false;
  bool is_http10_ : 1 = false;
};

}  // namespace thrum::serve
