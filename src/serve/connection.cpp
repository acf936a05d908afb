#include "serve/connection.hpp"

#include <charconv>
#include <utility>

namespace thrum::serve {
namespace {

constexpr std::size_t kMaxHeld = 64 * 1024;            // of input that waits; twice that for one read
constexpr std::size_t kOutputAtOnce = 64 * 1024;       // rendered before it is sent
constexpr std::size_t kKeptCapacity = 256 * 1024;      // of the scratch strings between requests
constexpr std::size_t kFramingAllowance = 128 * 1024;  // head and chunk lines of a request that is kept as it came
constexpr auto kLinger = std::chrono::seconds(2);

constexpr std::size_t kCopyAtMost = 16 * 1024;     // of a body; a larger one is kept until it has left
constexpr std::size_t kCopiedPiece = 4 * 1024;     // of a stream: gathered into one send
constexpr std::size_t kShareOfTurn = 1024 * 1024;  // of a stream, before the others have their turn

// A body that does not outlive the call and is too large for the shared output.
class OwnedBody final : public BodySource {
 public:
  explicit OwnedBody(std::string_view bytes) : bytes_(bytes) {}
  Piece next() override { return {bytes_, true}; }

 private:
  const std::string bytes_;
};

void shrink(std::string& s) {
  s.clear();
  if (s.capacity() > kKeptCapacity) std::string().swap(s);
}

}  // namespace

void Connection::open(Fd socket, net::TlsServer* tls) {
  phase_ = Phase::reading;
  since_ = server_.now_;
  socket_ = server_.reactor_.adopt(std::move(socket), *this, false);
  if (tls == nullptr) return;
  tls_ = tls->open(server_.reactor_, socket_, *this);
  if (tls_ == nullptr) return close();
  tls_->start();
}

// Frees what it holds; the slot may be used again once the calls in progress have returned.
void Connection::close(bool abort) {
  if (phase_ == Phase::closed) return;
  if (awaits(serial_)) server_.counters_.in_progress.take();
  if (tls_) tls_->end(!abort);
  tls_.reset();
  server_.reactor_.close(socket_, abort);
  phase_ = Phase::closed;
  ++serial_;
  parser_ = RequestParser();
  stream_.reset();
  drop_input();
  std::string().swap(backlog_);
  sending_ = paused_ = ended_ = close_after_ = input_unread_ = starved_ = false;
  server_.release(slot_);
}

void Connection::on_end(int error) {
  if (phase_ == Phase::lingering) return close();
  if (tls_) return tls_->ended(error);
  if (error != 0) return close();
  ended_ = true;
  const bool busy = sending_ || !backlog_.empty() || phase_ == Phase::answering || (phase_ == Phase::streaming && !starved_);
  if (!busy) close();
}

void Connection::on_tls_up() { since_ = server_.now_; }

// TLS knows no half-closed connection: nothing can be sent any more.
void Connection::on_tls_down(const net::Fault& fault) {
  if (fault.phase == net::Fault::Phase::tls) server_.counters_.tls_failed.add();
  close();
}

void Connection::check_time() {
  const ServerOptions& o = server_.options_;
  const Nanos waited = server_.now_ - since_;
  if (phase_ == Phase::lingering) {
    if (waited > kLinger) close();
  } else if (sending_) {
    if (waited > o.send_timeout) {
      server_.counters_.timed_out.add();
      close(true);
    }
  } else if (phase_ == Phase::reading) {
    const bool begun = parser_.has_begun();
    const bool in_head = parser_.state() == RequestParser::State::head;
    const Nanos limit = begun ? (in_head ? o.head_timeout : o.body_timeout) : is_shaking_hands() ? o.head_timeout : o.idle_timeout;
    if (waited <= limit) return;
    server_.counters_.timed_out.add();
    if (!begun) return close();
    refuse(408, "the rest of the request did not come in time");
    advance();
  }
}

// ---- in ----

void Connection::take(std::span<const char> bytes) {
  if (phase_ == Phase::lingering) return;
  // A head has its time from its first byte on, however it trickles.
  if (parser_.state() != RequestParser::State::head || !parser_.has_begun()) since_ = server_.now_;
  server_.counters_.bytes_in.add(bytes.size());
  if (phase_ != Phase::reading || sending_) return hold(bytes);
  process(bytes);
  advance();
}

void Connection::hold(std::span<const char> bytes) {
  if (close_after_) {
    input_unread_ = true;
    return;
  }
  server_.buffered_ += bytes.size();
  held_.append(bytes.data(), bytes.size());
  if (held_.size() < kMaxHeld || paused_) return;
  paused_ = true;
  server_.reactor_.pause(socket_);
}

// Parses and dispatches until the bytes are used up or a request has to wait for its answer. What is answered at once is
// rendered to the server's output; the caller sends it.
void Connection::process(std::span<const char> bytes) {
  const char* body_begin = bytes.data();
  std::size_t used = 0;
  while (used < bytes.size() && phase_ == Phase::reading && !close_after_ && server_.out_.size() < kOutputAtOnce)
    used += step(bytes.subspan(used), body_begin);
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::reading && parser_.state() == RequestParser::State::body) stash_body(body_begin, bytes.data() + bytes.size());
  if (used < bytes.size()) hold(bytes.subspan(used));
  shrink(server_.content_);
}

// Feeds the parser once, and acts on what it found.
std::size_t Connection::step(std::span<const char> bytes, const char*& body_begin) {
  using State = RequestParser::State;
  RequestHead& head = server_.head_;
  const bool at_head = parser_.state() == State::head;
  std::string* content = at_head || use_ != BodyUse::content ? nullptr : stashed_ ? &content_ : &server_.content_;
  const std::size_t before = content == &content_ ? content_.size() : 0;
  const std::size_t n = parser_.feed(bytes, head, content);
  if (content == &content_) server_.buffered_ += content_.size() - before;
  if (at_head && parser_.state() != State::head) {
    body_begin = bytes.data() + n;
    use_ = BodyUse::discard;
    if (parser_.state() == State::body) head_is_complete(n == bytes.size());
  }
  if (parser_.state() == State::failed) {
    input_unread_ = true;
    refuse(status_of(parser_.error()), describe(parser_.error()));
  } else if (parser_.state() == State::done) {
    dispatch(raw_request(body_begin, bytes.data() + n));
  }
  return n;
}

void Connection::head_is_complete(bool all_taken) {
  const RequestHead& head = server_.head_;
  use_ = server_.handler_.use_of_body(head);
  if (use_ != BodyUse::discard) parser_.limit_content(server_.options_.max_body);
  // RFC 9110 section 10.1.1: not when the content is coming already.
  if (parser_.state() == RequestParser::State::body && head.expects_continue && all_taken) server_.out_ += "HTTP/1.1 100 Continue\r\n\r\n";
}

// The bytes at hand end within a body: what must outlive them is copied.
void Connection::stash_body(const char* body_begin, const char* end) {
  parser_.keep_head(server_.head_);
  const std::size_t before = content_.size();
  if (use_ == BodyUse::content && !stashed_) {
    content_.swap(server_.content_);
  } else if (use_ == BodyUse::raw) {
    if (!stashed_) content_ = server_.head_.raw;
    content_.append(body_begin, end);
  }
  stashed_ = true;
  server_.buffered_ += content_.size() - before;
  if (server_.buffered_ > server_.options_.max_buffered) return refuse(503, "too many unfinished requests: try again later");
  if (use_ == BodyUse::raw && content_.size() > server_.options_.max_body + kFramingAllowance)
    refuse(status_of(RequestError::body_too_large), describe(RequestError::body_too_large));
}

// Head and body as they came, for those who asked.
std::string_view Connection::raw_request(const char* body_begin, const char* end) {
  const std::string_view head = server_.head_.raw;
  if (!stashed_ && head.data() + head.size() == body_begin) return {head.data(), end};
  if (!stashed_ && body_begin == end) return head;
  if (use_ != BodyUse::raw) return {};
  const std::size_t before = content_.size();
  if (!stashed_) content_ = head;
  stashed_ = true;
  content_.append(body_begin, end);
  server_.buffered_ += content_.size() - before;
  return content_;
}

void Connection::dispatch(std::string_view raw) {
  const RequestHead& head = server_.head_;
  ++serial_;
  phase_ = Phase::answering;
  is_head_ = head.is_head();
  asks_close_ = !head.keep_alive;
  is_http10_ = head.minor_version == 0;
  server_.counters_.requests.add();
  server_.counters_.in_progress.add();
  server_.counters_.in_progress_peak.raise_to(server_.counters_.in_progress.get());
  std::string_view body;
  if (use_ == BodyUse::content) body = stashed_ ? content_ : server_.content_;
  server_.dispatching_ = this;
  server_.handler_.handle(Ticket(server_, slot_, serial_), Request{head, body, use_ == BodyUse::raw || !head.has_body() ? raw : ""});
  server_.dispatching_ = nullptr;
  parser_.reset();
  drop_content();
  server_.content_.clear();
}

void Connection::drop_input() {
  server_.buffered_ -= held_.size();
  std::string().swap(held_);
  drop_content();
}

void Connection::drop_content() {
  server_.buffered_ -= content_.size();
  if (content_.capacity() > 15) std::string().swap(content_);
  content_.clear();
  stashed_ = false;
}

// ---- out ----

// While another connection's request is being dispatched, the shared head and output are in use: the answer is made ready, and
// sent in the next turn.
bool Connection::answer(std::uint32_t serial, Response& response) {
  if (serial_ != serial || phase_ != Phase::answering) return false;
  if (server_.dispatching_ == nullptr) {
    respond(response);
    advance();
  } else if (server_.dispatching_ == this) {
    respond(response);
  } else {
    std::string others;
    others.swap(server_.out_);
    respond(response);
    backlog_ += server_.out_;
    others.swap(server_.out_);
    server_.take_turn(slot_);
  }
  return true;
}

void Connection::resume(std::uint32_t serial) {
  if (serial_ != serial || phase_ != Phase::streaming || !starved_) return;
  if (server_.dispatching_ == nullptr)
    advance();
  else
    server_.take_turn(slot_);
}

void Connection::respond(Response& r) {
  const bool has_body = status_has_body(r.status);
  if (r.body.size() > kCopyAtMost && r.stream == nullptr) {
    r.stream_length = r.body.size();
    r.stream = std::make_unique<OwnedBody>(r.body);
  }
  framing_ = r.stream == nullptr || r.stream_length ? Framing::length : is_http10_ ? Framing::until_close : Framing::chunked;
  close_after_ = r.close || asks_close_ || (framing_ == Framing::until_close && has_body);
  render_head(r, has_body);
  if (!has_body || is_head_) return finish_response();
  if (r.stream == nullptr) {
    server_.out_ += r.body;
    return finish_response();
  }
  stream_ = std::move(r.stream);
  stream_left_ = r.stream_length.value_or(UINT64_MAX);
  stream_ended_ = starved_ = false;
  phase_ = Phase::streaming;
}

void Connection::render_head(const Response& r, bool has_body) {
  std::string& out = server_.out_;
  if (r.interim != 0 && !is_http10_) (out += status_line(r.interim)) += "\r\n";
  out += status_line(r.status);
  if (has_body) {
    if (!r.type.empty()) ((out += "Content-Type: ") += r.type) += "\r\n";
    if (framing_ == Framing::length) {
      char digits[24];
      const std::uint64_t length = r.stream ? *r.stream_length : r.body.size();
      const auto end = std::to_chars(digits, digits + sizeof digits, length).ptr;
      (out += "Content-Length: ").append(digits, end) += "\r\n";
    } else if (framing_ == Framing::chunked) {
      out += "Transfer-Encoding: chunked\r\n";
    }
  }
  out += r.headers;
  if (close_after_)
    out += "Connection: close\r\n";
  else if (is_http10_)
    out += "Connection: keep-alive\r\n";
  (out += server_.date_) += "\r\n";
  if (r.status >= 100 && r.status < 600) server_.counters_.by_status[static_cast<std::size_t>(r.status)].add();
}

void Connection::finish_response() {
  server_.counters_.responses.add();
  server_.counters_.in_progress.take();
  phase_ = Phase::reading;
  since_ = server_.now_;
}

// An answer of our own to what is no request, or too slow or too large a one. The connection ends with it.
void Connection::refuse(int status, std::string_view text) {
  server_.counters_.malformed.add();
  is_head_ = is_http10_ = false;
  framing_ = Framing::length;
  close_after_ = input_unread_ = true;
  const std::string line = std::string(text) + "\n";
  render_head({.status = status, .body = line}, true);
  server_.out_ += line;
}

// Sends what was rendered and goes on as far as it goes: the stream, then the input that was held back.
void Connection::advance() {
  if (!backlog_.empty() && !sending_) {
    backlog_ += server_.out_;
    server_.out_.swap(backlog_);
    std::string().swap(backlog_);
  }
  go_as_far_as_possible();
  if (phase_ == Phase::closed) return;
  const bool pause = sending_ || held_.size() >= kMaxHeld;
  if (pause == paused_) return;
  paused_ = pause;
  if (pause)
    server_.reactor_.pause(socket_);
  else
    server_.reactor_.resume(socket_);
}

void Connection::go_as_far_as_possible() {
  while (phase_ != Phase::closed) {
    if (phase_ == Phase::streaming && !sending_) {
      if (!pump()) return;
      continue;
    }
    if (!flush() || phase_ != Phase::reading) return;
    if (close_after_) return end_connection();
    if (held_.empty()) {
      if (ended_) close();
      return;
    }
    std::string input;
    input.swap(held_);
    server_.buffered_ -= input.size();
    process(input);
  }
}

// True: nothing is left to send, and the connection stands.
bool Connection::flush() {
  std::string& out = server_.out_;
  if (sending_) {  // answered while an earlier response is still on its way
    backlog_ += out;
    out.clear();
    return false;
  }
  if (out.empty()) return true;
  const bool gone = send(out, {});
  shrink(out);
  return gone;
}

bool Connection::send(std::span<const char> head, std::span<const char> body) {
  using State = net::SendOutcome::State;
  server_.counters_.bytes_out.add(head.size() + body.size());
  const net::SendOutcome outcome = tls_ ? tls_->send(head, body) : server_.reactor_.send(socket_, head, body);
  if (outcome.state == State::done) return true;
  if (outcome.state == State::failed) {
    close();
    return false;
  }
  sending_ = true;
  since_ = server_.now_;
  return false;
}

void Connection::sent() {
  sending_ = false;
  since_ = server_.now_;
  advance();
}

// Sends pieces of the stream. True: it has ended, and its last bytes are in the output. False: it goes on when a send has
// left, the source has more to say, or in the next turn; or the connection is closed.
bool Connection::pump() {
  for (std::size_t share = 0; !stream_ended_ && stream_left_ > 0;) {
    if (share >= kShareOfTurn) {
      if (flush()) server_.take_turn(slot_);
      return false;
    }
    const BodySource::Piece piece = stream_->next();
    stream_ended_ = piece.is_last;
    std::span<const char> bytes = piece.bytes;
    if (bytes.size() > stream_left_) bytes = bytes.first(static_cast<std::size_t>(stream_left_));
    starved_ = bytes.empty() && !piece.is_last;
    if (starved_) {
      if (flush() && ended_) close();  // a client that has gone would never be noticed
      return false;
    }
    if (framing_ == Framing::length) stream_left_ -= bytes.size();
    share += bytes.size() + 1;
    if (!bytes.empty() && !send_piece(bytes)) return false;
  }
  return end_stream();
}

bool Connection::send_piece(std::span<const char> bytes) {
  std::string& out = server_.out_;
  const bool chunked = framing_ == Framing::chunked;
  if (chunked) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, bytes.size(), 16).ptr;
    out.append(digits, end) += "\r\n";
  }
  if (bytes.size() <= kCopiedPiece) {
    out.append(bytes.data(), bytes.size());
    if (chunked) out += "\r\n";
    return out.size() < kOutputAtOnce || flush();
  }
  const bool gone = send(out, bytes);
  out.clear();
  if (chunked && phase_ != Phase::closed) (gone ? out : backlog_) += "\r\n";
  return gone;
}

bool Connection::end_stream() {
  if (framing_ == Framing::length && stream_left_ > 0) {
    if (flush()) close(true);  // the source broke its promise: the client is to see that the body is cut
    return false;
  }
  if (framing_ == Framing::chunked) ((server_.out_ += "0\r\n") += stream_->trailers()) += "\r\n";
  stream_.reset();
  finish_response();
  return true;
}

// With input unread, closing at once would reset the connection and may destroy what the peer has not read yet.
void Connection::end_connection() {
  if (ended_ || (!input_unread_ && held_.empty())) return close();
  if (tls_) tls_->end(true);
  server_.reactor_.shutdown_write(socket_);
  parser_ = RequestParser();
  drop_input();
  phase_ = Phase::lingering;
  since_ = server_.now_;
}

}  // namespace thrum::serve
