// One connection and the protocol on it. It belongs to a shard's pool; exchanges come and go on it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "http/session.hpp"
#include "load/record.hpp"
#include "net/link.hpp"

namespace thrum::load {

struct Pool;
class Connection;

// What a connection tells its shard.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual Nanos clock() const = 0;
  virtual net::Network& network() = 0;
  virtual void on_connection_up(Connection& c) = 0;
  virtual void on_connection_down(Connection& c, const net::Fault& fault) = 0;  // its exchanges are still with it
  virtual void on_first_byte(std::uint32_t exchange) = 0;
  virtual void on_response(Connection& c, std::uint32_t exchange, const http::Response& response) = 0;
  virtual void on_connection_turn(Connection& c) = 0;       // after each delivery of bytes: it may be free again
  virtual void on_connection_unflushed(Connection& c) = 0;  // its session may have something to send
  virtual ConnectionWatcher* watcher() const = 0;
  virtual std::unique_ptr<http::Session> make_session(Connection& c) = 0;  // for a connection that is up
};

class Connection final : public net::LinkOwner, public http::SessionOwner {
 public:
  Connection(ConnectionOwner& owner, Pool& pool) : owner_(owner), pool_(pool), link_(owner.network(), *this) {}

  void dial(const net::Endpoint& endpoint, const net::Way& way, std::uint32_t turn) { link_.dial(endpoint, &way, turn); }
  void close(bool abort) { link_.close(abort); }
  bool is_up() const { return session_ != nullptr; }

  http::Session& session() { return *session_; }
  net::Link& link() { return link_; }
  Pool& pool() { return pool_; }
  // Whether it may carry several exchanges at once, which leave when the session is flushed. Kept here: it is asked per request.
  bool is_multiplexed() const { return is_multiplexed_; }
  // When the bytes that are being handled came in.
  Nanos received_at() const { return received_at_; }
  bool is_reusable() const { return session_ != nullptr && !is_ended_ && session_->is_reusable(); }

  // Kept by the shard.
  std::vector<std::uint32_t> exchanges;
  std::uint64_t served = 0;  // responses it has carried
  int answered_in_turn = 0;  // exchanges that ended in the delivery at hand
  bool is_dropped = false;
  bool is_ready = false;      // in its pool's list of those that can take a request
  bool is_unflushed = false;  // in the shard's list of those that may have something to send

  // net::LinkOwner
  void on_up() override {
    session_ = owner_.make_session(*this);
    is_multiplexed_ = session_->protocol() == http::Protocol::http2;
    owner_.on_connection_up(*this);
  }
  void on_bytes(std::span<const char> bytes) override {
    received_at_ = owner_.clock();
    session_->on_bytes(bytes);
    if (!is_dropped) owner_.on_connection_turn(*this);
  }
  void on_skipped(std::size_t n) override {
    received_at_ = owner_.clock();
    session_->on_skipped(n);
    if (!is_dropped) owner_.on_connection_turn(*this);
  }
  void on_sent() override { session_->on_sent(); }
  void on_down(const net::Fault& fault) override {
    received_at_ = owner_.clock();
    is_ended_ = true;
    const bool clean = fault.phase == net::Fault::Phase::none;
    // An orderly end may complete a response (a body until close); a broken one leaves its exchanges to the shard.
    if (session_ != nullptr && clean && !is_dropped) session_->on_end(true);
    owner_.on_connection_down(*this, fault);
  }

  // http::SessionOwner
  void on_first_byte(http::StreamId stream) override { owner_.on_first_byte(stream); }
  void on_response(http::StreamId stream, const http::Response& response) override { owner_.on_response(*this, stream, response); }
  void on_unflushed() override { owner_.on_connection_unflushed(*this); }
  ConnectionWatcher* watcher() const override { return owner_.watcher(); }

 private:
  ConnectionOwner& owner_;
  Pool& pool_;
  net::Link link_;
  std::unique_ptr<http::Session> session_;
  Nanos received_at_{0};
  bool is_ended_ = false;
  bool is_multiplexed_ = false;
};

}  // namespace thrum::load
