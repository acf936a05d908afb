// HTTP/2 (RFC 9113) for a client, by nghttp2. submit() and cancel() only queue; flush() lets all that is queued leave in one
// piece. A stream's slot stays taken until nghttp2 closes the stream, so that what counts as open here is what the server
// counts; an exchange that was given up before only loses its name.
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/mapped_file.hpp"
#include "http/http2_memory.hpp"
#include "http/session.hpp"
#include "net/timers.hpp"

namespace thrum::http {
namespace {

// So large that the target is not held back by us: what it may send before we have to say that we took it.
constexpr std::int32_t kConnectionWindow = (1 << 30) - 1;
constexpr std::uint32_t kStreamWindow = 16 << 20;
constexpr std::size_t kSentAtOnce = 64 * 1024;
constexpr std::size_t kMostSaid = 80;                     // of what came instead of HTTP/2
constexpr std::uint32_t kMostSubmitted = (1u << 30) - 1;  // stream identifiers are odd numbers of 31 bits

std::string_view text(const std::uint8_t* p, std::size_t size) { return {reinterpret_cast<const char*>(p), size}; }

nghttp2_mem memory_of(Http2Memory* from) {
  const auto take = [](std::size_t size, void* memory) { return static_cast<Http2Memory*>(memory)->take(size); };
  const auto give_back = [](void* piece, void* memory) { static_cast<Http2Memory*>(memory)->give_back(piece); };
  const auto take_zeros = [](std::size_t count, std::size_t size, void* memory) -> void* {
    if (size != 0 && count > SIZE_MAX / size) return nullptr;
    void* piece = static_cast<Http2Memory*>(memory)->take(count * size);
    return piece == nullptr ? nullptr : std::memset(piece, 0, count * size);
  };
  const auto resize = [](void* piece, std::size_t size, void* memory) { return static_cast<Http2Memory*>(memory)->resize(piece, size); };
  return {from, take, give_back, take_zeros, resize};
}

struct Stream {
  bool is_given_up() const { return request == nullptr; }
  bool has_unsent_body() const { return body_sent < request->body_bytes().size(); }
  // For another request; what was allocated stays.
  void clear() {
    std::string text = std::move(location);
    std::unique_ptr<net::Timer> timer = std::move(continue_timer);
    *this = Stream{};
    location = std::move(text);
    location.clear();
    continue_timer = std::move(timer);
  }

  StreamId name = 0;  // the owner's
  std::int32_t id = 0;
  const PreparedRequest* request = nullptr;  // null: nobody waits for it any more
  ResponseCapture* capture = nullptr;
  int status = 0;
  int interims = 0;
  ParseError error = ParseError::none;  // what we found wrong
  bool is_open = false;                 // the slot is in use
  bool has_begun = false, has_head = false, has_length = false;
  bool is_complete = false;      // END_STREAM came
  bool was_reset = false;        // by the server
  bool awaits_continue = false;  // the body does, or the timer's end
  std::uint64_t length = 0;
  std::uint64_t body_bytes = 0, body_sent = 0;
  std::uint64_t heard_before = 0;  // bytes of the connection, when it was submitted
  std::size_t head_bytes = 0;
  std::string location;
  std::unique_ptr<net::Timer> continue_timer;
  char sequence[20];
};

class Http2Session final : public Session {
 public:
  Http2Session(net::Link& link, SessionOwner& owner, std::vector<char>& out, const Http2Options& options);
  ~Http2Session() override { nghttp2_session_del(session_); }
  Http2Session(const Http2Session&) = delete;
  Http2Session& operator=(const Http2Session&) = delete;

  net::SendOutcome submit(StreamId name, const PreparedRequest& request, std::uint64_t sequence, ResponseCapture* capture) override;
  net::SendOutcome flush() override;
  bool cancel(StreamId name) override;

  Protocol protocol() const override { return Protocol::http2; }
  std::size_t most_streams() const override { return std::min(options_.most_streams, server_allows_); }
  std::size_t streams_free() const override {
    const std::size_t most = most_streams();
    return is_reusable() && open_ < most ? most - open_ : 0;
  }
  bool is_reusable() const override { return !is_over_ && !is_closing_ && submitted_ < kMostSubmitted; }

  bool has_begun(StreamId name) const override {
    const Stream* s = find(name);
    return s != nullptr && s->has_begun;
  }
  int status_seen(StreamId name) const override {
    const Stream* s = find(name);
    return s == nullptr ? 0 : s->status;
  }
  bool has_head(StreamId name) const override {
    const Stream* s = find(name);
    return s != nullptr && s->has_head;
  }
  std::uint64_t body_bytes(StreamId name) const override {
    const Stream* s = find(name);
    return s == nullptr ? 0 : s->body_bytes;
  }
  bool is_sent(StreamId name) const override {
    const Stream* s = find(name);
    return s != nullptr && has_left(*s) && (!s->has_unsent_body() || s->awaits_continue);
  }
  Reach reach(StreamId name) const override {
    const Stream* s = find(name);
    return s == nullptr ? Reach::heard : reach(*s);
  }

  void on_bytes(std::span<const char> bytes) override;
  void on_skipped(std::size_t) override {}
  void on_sent() override { owner_.on_unflushed(); }
  void on_end(bool clean) override;

 private:
  friend struct Callbacks;

  Stream& take_slot();
  void release(Stream& s);
  const Stream* find(StreamId name) const;
  Stream* find(StreamId name) { return const_cast<Stream*>(std::as_const(*this).find(name)); }
  // By nghttp2's number; null when it is nobody's.
  Stream* stream(std::int32_t id);
  // nghttp2 opens a stream when it writes its first frame.
  bool has_left(const Stream& s) const { return nghttp2_session_find_stream(session_, s.id) != nullptr; }
  Reach reach(const Stream& s) const {
    if (!has_left(s)) return Reach::unsent;
    return heard_ == s.heard_before ? Reach::silent : Reach::heard;
  }
  bool listen_for_another_protocol(std::span<const char> bytes);
  void watch_head();
  template <class... Parts>
  void watch_received(const Parts&... parts) {
    if (watcher_ != nullptr) (watcher_->on_received(parts), ...);
  }
  void note_field(Stream& s, std::string_view name, std::string_view value);
  void end_head(Stream& s);
  void end_of_response(Stream& s);
  void await_continue(Stream& s);
  void release_body(Stream& s);
  void reset(Stream& s, std::uint32_t code);
  void close(Stream& s, std::uint32_t code);
  void answer(Stream& s, ParseError error, std::uint32_t code = 0, bool is_unprocessed = false);
  void end_all(ParseError error, std::uint32_t code = 0);

  net::Link& link_;
  SessionOwner& owner_;
  ConnectionWatcher* const watcher_;
  std::vector<char>& out_;
  const Http2Options options_;
  nghttp2_session* session_ = nullptr;
  std::vector<nghttp2_nv> fields_;
  std::deque<Stream> slots_;
  std::vector<Stream*> free_;
  Stream* last_ = nullptr;  // the stream that was looked up last
  std::size_t open_ = 0;
  std::size_t server_allows_;
  std::uint32_t submitted_ = 0;
  std::uint64_t heard_ = 0;        // bytes that have come
  bool has_settings_ = false;      // the server's first frame has come: it does speak HTTP/2
  bool is_foreign_ = false;        // what comes is something else
  bool is_closing_ = false;        // no new streams: GOAWAY, or a request that asked for it
  bool is_over_ = false;           // nothing can be done any more
  bool is_going_away_ = false;     // the server is
  bool has_given_up_ = false;      // we have: the server broke the protocol
  std::uint32_t goaway_code_ = 0;  // the server's, or ours if has_given_up_
  std::int32_t last_taken_ = 0;    // by the server, of the streams, by what it said when it went away
  std::string said_;               // first line of what is_foreign_
};

// What nghttp2 calls while it reads and writes. Nothing is thrown through it.
struct Callbacks {
  static Http2Session& self(void* user) { return *static_cast<Http2Session*>(user); }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Session& session = self(user);
    Stream* s = session.stream(frame->hd.stream_id);
    if (s == nullptr || s->is_given_up() || s->has_begun) return 0;
    s->has_begun = true;
    session.owner_.on_first_byte(s->name);
    return 0;
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                       const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
    Http2Session& session = self(user);
    Stream* s = session.stream(frame->hd.stream_id);
    if (s == nullptr || s->is_given_up()) return 0;
    s->head_bytes += name_size + value_size + 32;  // as RFC 9113 section 6.5.2 counts
    if (s->head_bytes > kMaxHeadBytes) {
      s->error = ParseError::head_too_large;
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // nghttp2 resets the stream
    }
    session.watch_received(text(name, name_size), ": ", text(value, value_size), "\r\n");
    if (!s->has_head) session.note_field(*s, text(name, name_size), text(value, value_size));
    return 0;
  }

  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size, void* user) {
    Stream* s = self(user).stream(id);
    if (s == nullptr || s->is_given_up()) return 0;
    s->body_bytes += size;
    self(user).watch_received(text(data, size));
    if (s->capture != nullptr) s->capture->on_body({reinterpret_cast<const char*>(data), size});
    return 0;
  }

  static int on_frame(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* user) {
    Http2Session& session = self(user);
    const bool ends_stream = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
      case NGHTTP2_DATA:
        if (Stream* s = session.stream(frame->hd.stream_id); s != nullptr && !s->is_given_up()) {
          if (frame->hd.type == NGHTTP2_HEADERS) {
            session.watch_received("\r\n");
            session.end_head(*s);
          }
          if (ends_stream && !s->is_given_up()) session.end_of_response(*s);
        }
        break;
      case NGHTTP2_RST_STREAM:
        if (Stream* s = session.stream(frame->hd.stream_id)) s->was_reset = true;
        break;
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) break;
        session.has_settings_ = true;
        session.server_allows_ = nghttp2_session_get_remote_settings(nghttp2, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
        break;
      case NGHTTP2_GOAWAY:  // streams that it leaves out have been closed by nghttp2
        session.is_closing_ = session.is_going_away_ = true;
        session.goaway_code_ = frame->goaway.error_code;
        session.last_taken_ = frame->goaway.last_stream_id;
        break;
      default:
        break;
    }
    return 0;
  }

  // GOAWAY is what nghttp2 sends when the peer has broken the protocol.
  static int on_frame_sent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_GOAWAY) return 0;
    self(user).has_given_up_ = true;
    self(user).goaway_code_ = frame->goaway.error_code;
    return 0;
  }

  static int on_stream_close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) {
    if (Stream* s = self(user).stream(id)) self(user).close(*s, code);
    return 0;
  }

  static ssize_t read_body(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t size, std::uint32_t* flags,
                           nghttp2_data_source* source, void* user) {
    Stream& s = *static_cast<Stream*>(source->ptr);
    if (s.is_given_up()) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // its bytes may be gone
    if (s.awaits_continue) return NGHTTP2_ERR_DEFERRED;
    const std::string_view rest = s.request->body_bytes().substr(s.body_sent);
    size = std::min(size, rest.size());
    if (!copy_bytes({rest.data(), size}, reinterpret_cast<char*>(to))) {
      s.error = ParseError::not_sent;
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // nghttp2 resets the stream
    }
    s.body_sent += size;
    if (ConnectionWatcher* const watcher = self(user).watcher_) watcher->on_sent(text(to, size));
    if (size == rest.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  static const nghttp2_session_callbacks* table() {
    static const nghttp2_session_callbacks* const made = [] {
      nghttp2_session_callbacks* c = nullptr;
      if (nghttp2_session_callbacks_new(&c) != 0) throw std::bad_alloc();
      nghttp2_session_callbacks_set_on_begin_headers_callback(c, on_begin_headers);
      nghttp2_session_callbacks_set_on_header_callback(c, on_header);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(c, on_data);
      nghttp2_session_callbacks_set_on_frame_recv_callback(c, on_frame);
      nghttp2_session_callbacks_set_on_frame_send_callback(c, on_frame_sent);
      nghttp2_session_callbacks_set_on_stream_close_callback(c, on_stream_close);
      return c;
    }();
    return made;
  }

  static const nghttp2_option* options() {
    static const nghttp2_option* const made = [] {
      nghttp2_option* o = nullptr;
      if (nghttp2_option_new(&o) != 0) throw std::bad_alloc();
      nghttp2_option_set_no_closed_streams(o, 1);
      nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(o, 1);  // as lenient as vegeta
      return o;
    }();
    return made;
  }
};

Http2Session::Http2Session(net::Link& link, SessionOwner& owner, std::vector<char>& out, const Http2Options& options)
    : link_(link), owner_(owner), watcher_(owner.watcher()), out_(out), options_(options), server_allows_(options.expected_streams) {
  nghttp2_mem memory = memory_of(options.memory);
  if (nghttp2_session_client_new3(&session_, Callbacks::table(), this, Callbacks::options(),
                                  options.memory == nullptr ? nullptr : &memory) != 0)
    throw std::bad_alloc();
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMaxHeadBytes},
  };
  if (nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings)) != 0 ||
      nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow) != 0)
    throw std::bad_alloc();
}

Stream& Http2Session::take_slot() {
  if (free_.empty()) {
    slots_.emplace_back();
    free_.push_back(&slots_.back());
  }
  Stream& s = *free_.back();
  free_.pop_back();
  s.clear();
  s.is_open = true;
  ++open_;
  return s;
}

void Http2Session::release(Stream& s) {
  if (last_ == &s) last_ = nullptr;
  s.is_open = false;
  s.request = nullptr;
  if (s.continue_timer != nullptr) s.continue_timer->cancel();
  free_.push_back(&s);
  --open_;
}

const Stream* Http2Session::find(StreamId name) const {
  for (const Stream& s : slots_)
    if (s.is_open && s.name == name && !s.is_given_up()) return &s;
  return nullptr;
}

Stream* Http2Session::stream(std::int32_t id) {
  if (last_ != nullptr && last_->id == id) return last_;
  auto* s = static_cast<Stream*>(nghttp2_session_get_stream_user_data(session_, id));
  if (s != nullptr) last_ = s;
  return s;
}

net::SendOutcome Http2Session::submit(StreamId name, const PreparedRequest& request, std::uint64_t sequence, ResponseCapture* capture) {
  if (is_over_) return {net::SendOutcome::State::failed, ENOTCONN};
  Stream& s = take_slot();
  s.name = name;
  s.request = &request;
  s.capture = capture;
  s.heard_before = heard_;
  // Texts live as long as the request; the number lives in the stream. They are read when the frame is written.
  constexpr std::uint8_t kInPlace = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
  const auto bytes = [](std::string_view t) { return reinterpret_cast<std::uint8_t*>(const_cast<char*>(t.data())); };
  fields_.resize(request.http2.fields.size() + 1);
  nghttp2_nv* field = fields_.data();
  for (const Http2Head::Field& f : request.http2.fields)
    *field++ = {bytes(request.http2.name(f)), bytes(request.http2.value(f)), f.name_size, f.value_size, kInPlace};
  const char* end = std::to_chars(s.sequence, s.sequence + sizeof s.sequence, sequence).ptr;
  // A number of its own for each request would only push what repeats out of the compression's table; the first one is put there
  // for the sake of its name.
  const std::uint8_t flags = submitted_ == 0 ? kInPlace : kInPlace | NGHTTP2_NV_FLAG_NO_INDEX;
  *field = {bytes(kHttp2SequenceName), bytes(s.sequence), kHttp2SequenceName.size(), static_cast<std::size_t>(end - s.sequence), flags};
  nghttp2_data_provider body{};
  body.source.ptr = &s;
  body.read_callback = Callbacks::read_body;
  s.id = nghttp2_submit_request(session_, nullptr, fields_.data(), fields_.size(), s.has_unsent_body() ? &body : nullptr, &s);
  if (s.id < 0) {
    is_closing_ = true;
    release(s);
    return {net::SendOutcome::State::failed, ENOMEM};
  }
  ++submitted_;
  if (watcher_ != nullptr) watch_head();
  if (request.asks_close) is_closing_ = true;
  if (request.expects_continue) await_continue(s);
  return {};
}

void Http2Session::watch_head() {
  for (const nghttp2_nv& f : fields_) {
    watcher_->on_sent(text(f.name, f.namelen));
    watcher_->on_sent(": ");
    watcher_->on_sent(text(f.value, f.valuelen));
    watcher_->on_sent("\r\n");
  }
  watcher_->on_sent("\r\n");
}

void Http2Session::await_continue(Stream& s) {
  s.awaits_continue = true;
  if (s.continue_timer == nullptr)
    s.continue_timer = std::make_unique<net::Timer>(link_.timers(), [this, &s] {
      if (s.is_given_up() || !s.awaits_continue) return;
      release_body(s);
      owner_.on_unflushed();
    });
  s.continue_timer->set(now() + kContinueWait);
}

void Http2Session::release_body(Stream& s) {
  s.awaits_continue = false;
  s.continue_timer->cancel();
  if (!is_over_) nghttp2_session_resume_data(session_, s.id);  // fails if nghttp2 has not asked for the body yet: it will
}

net::SendOutcome Http2Session::flush() {
  net::SendOutcome outcome;
  while (!is_over_ && !link_.is_sending()) {
    out_.clear();
    while (out_.size() < kSentAtOnce) {
      const std::uint8_t* data = nullptr;
      const ssize_t n = nghttp2_session_mem_send(session_, &data);
      if (n <= 0) break;  // below zero: no memory
      out_.insert(out_.end(), data, data + n);
    }
    if (out_.empty()) break;
    outcome = link_.send(out_);
    if (outcome.state != net::SendOutcome::State::done) break;
  }
  if (has_given_up_ && !is_over_) end_all(ParseError::protocol_broken, goaway_code_);
  return outcome;
}

bool Http2Session::cancel(StreamId name) {
  Stream* s = find(name);
  if (s != nullptr) reset(*s, NGHTTP2_CANCEL);
  return !is_over_;
}

// Gives the stream up without a word to the owner.
void Http2Session::reset(Stream& s, std::uint32_t code) {
  s.request = nullptr;
  s.capture = nullptr;
  if (!is_over_) nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, s.id, code);
}

void Http2Session::on_bytes(std::span<const char> bytes) {
  if (is_over_ || listen_for_another_protocol(bytes)) return;
  heard_ += bytes.size();
  const ssize_t n = nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  // Beside want of memory it is a flood: of frames to be answered, or of CONTINUATION frames, whose number older versions lack.
  if (n < 0) end_all(ParseError::protocol_broken, n == NGHTTP2_ERR_NOMEM ? NGHTTP2_INTERNAL_ERROR : NGHTTP2_ENHANCE_YOUR_CALM);
}

// HTTP/2 begins with a frame of at most 16 KiB, so with a zero byte. A server of HTTP/1.1 answers our preface with words.
bool Http2Session::listen_for_another_protocol(std::span<const char> bytes) {
  if (heard_ == 0 && !is_foreign_) is_foreign_ = !bytes.empty() && bytes.front() != '\0';
  if (!is_foreign_) return false;
  for (const char c : bytes) {
    if (c == '\n' || c == '\r' || said_.size() == kMostSaid) {
      end_all(ParseError::not_http2);
      break;
    }
    said_ += c;
  }
  return true;
}

void Http2Session::on_end(bool) {
  if (is_over_) return;
  if (is_foreign_ || !has_settings_)
    end_all(ParseError::not_http2);
  else if (is_going_away_ && goaway_code_ != NGHTTP2_NO_ERROR)
    end_all(ParseError::goaway, goaway_code_);
  else
    end_all(ParseError::truncated);
}

// The connection is of no more use.
void Http2Session::end_all(ParseError error, std::uint32_t code) {
  is_over_ = true;
  for (Stream& s : slots_) {
    if (!s.is_open || s.is_given_up()) continue;
    const Reach reached = reach(s);
    if (error == ParseError::truncated && reached != Reach::heard)
      answer(s, ParseError::empty, 0, reached == Reach::unsent);
    else
      answer(s, error, code, reached == Reach::unsent && error != ParseError::not_http2);
  }
}

void Http2Session::note_field(Stream& s, std::string_view name, std::string_view value) {
  if (name.front() == ':') {  // ":status", of three digits: nghttp2 has looked
    std::from_chars(value.data(), value.data() + value.size(), s.status);
    return;
  }
  if (s.status < 200) return;
  if (name == "content-length") {
    s.has_length = std::from_chars(value.data(), value.data() + value.size(), s.length).ec == std::errc{};
  } else if (name == "location" && value.size() <= kMaxLocation) {
    s.location = value;
  }
  if (s.capture != nullptr) s.capture->on_header(name, value);
}

void Http2Session::end_head(Stream& s) {
  if (s.status < 100) {  // three digits, but no status (RFC 9110 section 15)
    s.error = ParseError::bad_status_line;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, s.id, NGHTTP2_PROTOCOL_ERROR);
  } else if (s.status >= 200) {
    s.has_head = true;
    if (s.awaits_continue) s.continue_timer->cancel();  // the server does without the body
  } else if (++s.interims > kMaxInterim) {
    s.error = ParseError::too_many_interim;
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, s.id, NGHTTP2_ENHANCE_YOUR_CALM);
  } else {
    if (s.status == 100 && s.awaits_continue) release_body(s);
    s.status = 0;
    s.head_bytes = 0;
  }
}

// The response is whole. What of the request has not left is not wanted any more (RFC 9113 section 8.1).
void Http2Session::end_of_response(Stream& s) {
  s.is_complete = true;
  if (!s.has_unsent_body()) return;  // nghttp2 is about to close the stream
  answer(s, s.error);
  reset(s, NGHTTP2_NO_ERROR);
}

// nghttp2 has closed the stream: both sides ended it, or one reset it, or a GOAWAY left it out.
void Http2Session::close(Stream& s, std::uint32_t code) {
  if (!s.is_given_up()) {
    if (s.error != ParseError::none)
      answer(s, s.error, s.error == ParseError::not_sent ? EFAULT : code);
    else if (s.is_complete)
      answer(s, ParseError::none);
    else if (code == NGHTTP2_REFUSED_STREAM && !s.has_begun)
      answer(s, ParseError::stream_refused, code, true);
    else if (s.was_reset)
      answer(s, ParseError::stream_reset, code);
    else if (s.has_length && s.body_bytes != s.length)
      answer(s, ParseError::wrong_length, code);
    else
      answer(s, ParseError::bad_response, code);
  }
  release(s);
}

// Tells the owner; the slot stays taken.
void Http2Session::answer(Stream& s, ParseError error, std::uint32_t code, bool is_unprocessed) {
  Response response;
  response.status = s.status;
  response.body_bytes = s.body_bytes;
  response.location = s.location;
  response.error = error;
  response.has_begun = s.has_begun;
  response.is_unprocessed = is_unprocessed;
  response.is_left_out = is_unprocessed && is_going_away_ && last_taken_ > 0 && s.id > last_taken_;
  response.code = code;
  if (error == ParseError::not_http2) response.reason = said_;
  s.request = nullptr;
  s.capture = nullptr;
  owner_.on_response(s.name, response);
}

}  // namespace

std::unique_ptr<Session> make_http2_session(net::Link& link, SessionOwner& owner, std::vector<char>& out, const Http2Options& options) {
  return std::make_unique<Http2Session>(link, owner, out, options);
}

}  // namespace thrum::http
