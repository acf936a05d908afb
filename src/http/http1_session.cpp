#include <utility>

#include "http/session.hpp"

namespace thrum::http {
namespace {

// Below this, reading the rest into a buffer that is warm anyway costs less than a system call of its own.
constexpr std::uint64_t kWorthSkipping = 16 * 1024;

class Http1Session final : public Session {
 public:
  Http1Session(net::Link& link, SessionOwner& owner, std::vector<char>& scratch) : link_(link), owner_(owner), scratch_(scratch) {}

  net::SendOutcome submit(StreamId stream, const PreparedRequest& request, std::uint64_t sequence, ResponseCapture* capture) override {
    stream_ = stream;
    active_ = true;
    begun_ = false;
    asked_close_ = request.asks_close;
    parser_.reset(request.is_head, capture);
    const std::size_t room = request.head_to_send().size() + kSequenceRoom;
    if (scratch_.size() < room) scratch_.resize(room);
    const std::size_t size = render_head(request, sequence, scratch_.data());
    return link_.send({scratch_.data(), size}, request.body_bytes());
  }

  bool cancel(StreamId) override {
    active_ = false;
    reusable_ = false;
    return false;
  }

  std::size_t streams_free() const override { return active_ || !is_reusable() ? 0 : 1; }
  bool is_reusable() const override { return reusable_; }
  bool has_begun(StreamId) const override { return active_ && parser_.has_begun(); }
  int status_seen(StreamId) const override { return active_ ? parser_.status() : 0; }
  bool has_head(StreamId) const override { return active_ && parser_.state() == ResponseParser::State::reading_body; }
  std::uint64_t body_bytes(StreamId) const override { return active_ ? parser_.body_bytes() : 0; }

  void on_bytes(std::span<const char> bytes) override {
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
    if (parser_.state() == ResponseParser::State::reading_body) {
      const std::uint64_t rest = parser_.skippable();
      if (rest >= kWorthSkipping && link_.can_skip()) link_.skip(rest);
    } else {
      finish_if_over();
    }
  }

  void on_skipped(std::size_t n) override {
    if (!active_) return;
    parser_.skipped(n);
    finish_if_over();
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
  void finish_if_over() {
    const auto state = parser_.state();
    if (state == ResponseParser::State::done || state == ResponseParser::State::failed) finish(parser_.error());
  }

  void finish(ParseError error) {
    active_ = false;
    // A response that overtook its own request (413 and the like) leaves the rest of the request in the way of the next.
    if (error != ParseError::none || asked_close_ || !parser_.keep_alive() || link_.is_sending()) reusable_ = false;
    owner_.on_response(stream_, {parser_.status(), parser_.reason(), parser_.body_bytes(), parser_.location(), error, parser_.has_begun()});
  }

  net::Link& link_;
  SessionOwner& owner_;
  std::vector<char>& scratch_;
  ResponseParser parser_;
  StreamId stream_ = 0;
  bool active_ = false;
  bool begun_ = false;
  bool asked_close_ = false;
  bool reusable_ = true;
};

}  // namespace

std::unique_ptr<Session> make_http1_session(net::Link& link, SessionOwner& owner, std::vector<char>& scratch) {
  return std::make_unique<Http1Session>(link, owner, scratch);
}

}  // namespace thrum::http
