#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "base/mapped_file.hpp"
#include "http/session.hpp"
#include "net/timers.hpp"

namespace thrum::http {
namespace {

// Below this, reading the rest into a buffer that is warm anyway costs less than a system call of its own.
constexpr std::uint64_t kWorthSkipping = 16 * 1024;

// A chunked body up to this is copied, so that it leaves in one system call with what stands around it.
constexpr std::size_t kWorthCopying = 16 * 1024;
constexpr std::string_view kLastChunk = "\r\n0\r\n\r\n";  // after the data of the only other one
constexpr std::size_t kChunkSizeRoom = 20;

// Mapped bytes are not to be touched: they are shown in copies.
void show_body(std::string_view body, ConnectionWatcher& watcher) {
  std::array<char, 16 * 1024> piece;
  for (; !body.empty(); body.remove_prefix(std::min(body.size(), piece.size()))) {
    const std::string_view part = body.substr(0, piece.size());
    if (!copy_bytes({part.data(), part.size()}, piece.data())) return;
    watcher.on_sent({piece.data(), part.size()});
  }
}

class Http1Session final : public Session {
 public:
  Http1Session(net::Link& link, SessionOwner& owner, Http1Shared& shared)
      : link_(link), owner_(owner), watcher_(owner.watcher()), scratch_(shared.scratch), parser_(&shared.known) {}

  net::SendOutcome submit(StreamId stream, const PreparedRequest& request, std::uint64_t sequence, ResponseCapture* capture) override {
    stream_ = stream;
    active_ = true;
    begun_ = false;
    asked_close_ = request.asks_close;
    request_ = &request;
    parser_.reset(request.is_head, capture);
    make_room(request.head_to_send().size() + kSequenceRoom);
    const std::size_t size = render_head(request, sequence, scratch_.data());
    if (!request.expects_continue) return send_body(size);
    await_continue();
    return send({scratch_.data(), size});
  }

  bool cancel(StreamId) override {
    active_ = false;
    to_send_ = Rest::none;
    reusable_ = false;
    return false;
  }

  Protocol protocol() const override { return Protocol::http1; }
  std::size_t most_streams() const override { return 1; }
  std::size_t streams_free() const override { return active_ || !is_reusable() ? 0 : 1; }
  bool is_reusable() const override { return reusable_; }
  bool has_begun(StreamId) const override { return active_ && parser_.has_begun(); }
  int status_seen(StreamId) const override { return active_ ? parser_.status() : 0; }
  bool has_head(StreamId) const override { return active_ && parser_.state() == ResponseParser::State::reading_body; }
  std::uint64_t body_bytes(StreamId) const override { return active_ ? parser_.body_bytes() : 0; }
  bool is_sent(StreamId) const override { return !link_.is_sending(); }
  Reach reach(StreamId stream) const override { return has_begun(stream) ? Reach::heard : Reach::silent; }

  void on_bytes(std::span<const char> bytes) override {
    if (watcher_ != nullptr) watcher_->on_received({bytes.data(), bytes.size()});
    if (!active_) {  // nobody asked: a late error page, or a peer that has lost count
      reusable_ = false;
      return;
    }
    if (!begun_) {
      begun_ = true;
      owner_.on_first_byte(stream_);
    }
    const std::size_t used = parser_.feed(bytes);
    if (used < bytes.size()) reusable_ = false;
    if (to_send_ == Rest::body) heed_continue();
    if (parser_.state() == ResponseParser::State::reading_body) {
      const std::uint64_t rest = parser_.skippable();
      if (rest >= kWorthSkipping && link_.can_skip() && watcher_ == nullptr) link_.skip(rest);
    } else {
      finish_if_over();
    }
  }

  void on_skipped(std::size_t n) override {
    if (!active_) return;
    parser_.skipped(n);
    finish_if_over();
  }

  void on_sent() override {
    if (to_send_ == Rest::body_next) {
      send_body(0);
    } else if (to_send_ == Rest::last_chunk) {
      to_send_ = Rest::none;
      send(kLastChunk);  // if that fails, the link says so
    }
  }

  void on_end(bool clean) override {
    reusable_ = false;
    if (!active_) return;
    if (clean || parser_.state() != ResponseParser::State::reading_body) {
      parser_.end_of_stream();
      finish_if_over();
    } else {
      finish(ParseError::truncated);
    }
  }

 private:
  // What of the request has not been given to the link yet.
  enum class Rest : std::uint8_t {
    none,
    body,        // until the server says that it wants it, or nothing
    body_next,   // until the link is rid of the head
    last_chunk,  // until the link is rid of the one before
    refused,     // the body, for good: the final response came first
  };

  net::SendOutcome send(std::span<const char> head, std::string_view body = {}) {
    if (watcher_ != nullptr) {
      watcher_->on_sent({head.data(), head.size()});
      show_body(body, *watcher_);
    }
    return link_.send(head, body);
  }

  void make_room(std::size_t size) {
    if (scratch_.size() < size) scratch_.resize(size);
  }

  // Sends the first `size` bytes of the scratch room, and the body in its framing.
  net::SendOutcome send_body(std::size_t size) {
    const std::string_view body = request_->body_bytes();
    to_send_ = Rest::none;
    if (!request_->is_chunked) return send({scratch_.data(), size}, body);
    const bool is_copied = body.size() <= kWorthCopying;
    make_room(size + kChunkSizeRoom + (is_copied ? body.size() + kLastChunk.size() : 0));
    char* p = std::to_chars(scratch_.data() + size, scratch_.data() + size + kChunkSizeRoom, body.size(), 16).ptr;
    const auto append = [&p](std::string_view text) { p = static_cast<char*>(std::memcpy(p, text.data(), text.size())) + text.size(); };
    append("\r\n");
    if (is_copied) {
      append(body);
      append(kLastChunk);
      return send({scratch_.data(), p});
    }
    const net::SendOutcome outcome = send({scratch_.data(), p}, body);
    if (outcome.state == net::SendOutcome::State::done) return send(kLastChunk);
    to_send_ = Rest::last_chunk;
    return outcome;
  }

  void await_continue() {
    to_send_ = Rest::body;
    if (continue_timer_ == nullptr)
      continue_timer_ = std::make_unique<net::Timer>(link_.timers(), [this] {
        if (active_ && to_send_ == Rest::body) release_body();
      });
    continue_timer_->set(now() + kContinueWait);
  }

  // The server has said something: that it wants the body, or what it makes of the request without.
  void heed_continue() {
    if (parser_.status() == 0 && !parser_.says_continue()) return;
    continue_timer_->cancel();
    if (parser_.status() == 0)
      release_body();
    else
      to_send_ = Rest::refused;
  }

  void release_body() {
    if (link_.is_sending())
      to_send_ = Rest::body_next;
    else
      send_body(0);  // if that fails, the link says so
  }

  void finish_if_over() {
    const auto state = parser_.state();
    if (state == ResponseParser::State::done || state == ResponseParser::State::failed) finish(parser_.error());
  }

  void finish(ParseError error) {
    active_ = false;
    // A response that overtook its own request (413 and the like) leaves the rest of the request in the way of the next.
    if (error != ParseError::none || asked_close_ || !parser_.keep_alive() || link_.is_sending() || to_send_ != Rest::none)
      reusable_ = false;
    Response response;
    response.status = parser_.status();
    response.reason = parser_.reason();
    response.body_bytes = parser_.body_bytes();
    response.location = parser_.location();
    response.error = error;
    response.has_begun = parser_.has_begun();
    owner_.on_response(stream_, response);
  }

  net::Link& link_;
  SessionOwner& owner_;
  ConnectionWatcher* const watcher_;
  std::vector<char>& scratch_;
  ResponseParser parser_;
  const PreparedRequest* request_ = nullptr;  // of the exchange at hand
  std::unique_ptr<net::Timer> continue_timer_;
  StreamId stream_ = 0;
  Rest to_send_ = Rest::none;
  bool active_ = false;
  bool begun_ = false;
  bool asked_close_ = false;
  bool reusable_ = true;
};

}  // namespace

std::unique_ptr<Session> make_http1_session(net::Link& link, SessionOwner& owner, Http1Shared& shared) {
  return std::make_unique<Http1Session>(link, owner, shared);
}

}  // namespace thrum::http
