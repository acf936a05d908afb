#include "http2_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <stdexcept>

namespace thrum::support {
namespace {

nghttp2_nv nv(const std::string& name, const std::string& value) {
  const auto bytes = [](const std::string& s) { return reinterpret_cast<std::uint8_t*>(const_cast<char*>(s.data())); };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> list_of(const Http2Fields& fields) {
  std::vector<nghttp2_nv> list;
  for (const auto& [name, value] : fields) list.push_back(nv(name, value));
  return list;
}

}  // namespace

std::string Http2Seen::field(const std::string& name) const {
  for (const auto& [n, value] : fields)
    if (n == name) return value;
  return {};
}

// One connection, on its own thread.
struct Http2Connection {
  struct Stream {
    Http2Seen seen;
    Http2Answer answer;
    std::size_t sent = 0;
    bool has_head = false, is_whole = false, is_answered = false;
    bool is_left_out = false;  // came with those before it, but is above the last one that a GOAWAY names
  };

  Http2Connection(Http2Server& owner, int socket, SSL* tls, std::size_t number) : server(owner), fd(socket), ssl(tls), index(number) {
    nghttp2_session_callbacks* c = nullptr;
    nghttp2_session_callbacks_new(&c);
    nghttp2_session_callbacks_set_on_begin_headers_callback(c, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
      auto& self = *static_cast<Http2Connection*>(user);
      Stream& s = self.streams[frame->hd.stream_id];
      s.seen.connection = self.index;
      s.seen.number = self.requests++;
      const std::size_t last = self.server.options_.goaway_after;
      s.is_left_out = last != 0 && s.seen.number >= last;
      std::size_t most = self.server.most_in_flight_;
      while (most < self.streams.size() && !self.server.most_in_flight_.compare_exchange_weak(most, self.streams.size())) {
      }
      return 0;
    });
    nghttp2_session_callbacks_set_on_header_callback(
        c, [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
              std::size_t value_size, std::uint8_t, void* user) {
          static_cast<Http2Connection*>(user)->streams[frame->hd.stream_id].seen.fields.emplace_back(
              std::string(reinterpret_cast<const char*>(name), name_size), std::string(reinterpret_cast<const char*>(value), value_size));
          return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        c, [](nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size, void* user) {
          static_cast<Http2Connection*>(user)->streams[id].seen.body.append(reinterpret_cast<const char*>(data), size);
          return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(c, [](nghttp2_session*, const nghttp2_frame* frame, void* user) {
      static_cast<Http2Connection*>(user)->take(*frame);
      return 0;
    });
    nghttp2_session_callbacks_set_on_stream_close_callback(c, [](nghttp2_session*, std::int32_t id, std::uint32_t, void* user) {
      static_cast<Http2Connection*>(user)->streams.erase(id);
      return 0;
    });
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_max_send_header_block_length(option, 1 << 20);
    nghttp2_session_server_new2(&session, c, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(c);
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, server.options_.most_streams},
                                               {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, server.options_.window}};
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  }
  ~Http2Connection() { nghttp2_session_del(session); }
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  void take(const nghttp2_frame& frame) {
    if (frame.hd.type == NGHTTP2_RST_STREAM) {
      const std::lock_guard lock(server.mutex_);
      server.resets_.push_back(frame.rst_stream.error_code);
    }
    if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
    Stream& s = streams[frame.hd.stream_id];
    s.has_head = true;
    s.is_whole = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (server.options_.says_continue && !s.is_whole && frame.hd.type == NGHTTP2_HEADERS) {
      const Http2Fields word{{":status", "100"}};
      nghttp2_submit_headers(session, NGHTTP2_FLAG_NONE, frame.hd.stream_id, nullptr, list_of(word).data(), 1, nullptr);
    }
    const std::size_t last = server.options_.goaway_after;
    if (last != 0 && frame.hd.type == NGHTTP2_HEADERS && s.seen.number + 1 == last)
      nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE, frame.hd.stream_id, NGHTTP2_NO_ERROR, nullptr, 0);
  }

  void answer_all() {
    if (!server.gate_is_open_) return;
    for (auto& [id, s] : streams) {
      if (s.is_answered || s.is_left_out || !(s.is_whole || (s.has_head && server.options_.answers_before_body))) continue;
      s.is_answered = true;
      s.answer = server.options_.answer ? server.options_.answer(s.seen) : Http2Answer{};
      const bool is_refused = s.answer.reset == NGHTTP2_REFUSED_STREAM;
      if (!is_refused) {
        const std::lock_guard lock(server.mutex_);
        server.seen_.push_back(s.seen);
      }
      answer(id, s);
    }
  }

  void answer(std::int32_t id, Stream& s) {
    const Http2Answer& a = s.answer;
    if (a.stays_silent) return;
    if (a.ends_connection) {
      if (a.goaway_code) nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE, id, *a.goaway_code, nullptr, 0);
      is_over = true;
      return;
    }
    if (a.reset && !a.resets_after_head) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, *a.reset);
      return;
    }
    const Http2Fields hints{{":status", "103"}, {"link", "</style.css>"}};
    for (int i = 0; i < a.interims; ++i) nghttp2_submit_headers(session, NGHTTP2_FLAG_NONE, id, nullptr, list_of(hints).data(), 2, nullptr);
    Http2Fields fields{{":status", std::to_string(a.status)}};
    fields.insert(fields.end(), a.fields.begin(), a.fields.end());
    nghttp2_data_provider body{};
    body.source.ptr = &s;
    body.read_callback = [](nghttp2_session* nghttp2, std::int32_t stream, std::uint8_t* to, std::size_t size, std::uint32_t* flags,
                            nghttp2_data_source* source, void*) -> ssize_t {
      Stream& from = *static_cast<Stream*>(source->ptr);
      size = std::min(size, from.answer.body.size() - from.sent);
      std::memcpy(to, from.answer.body.data() + from.sent, size);
      from.sent += size;
      if (from.sent < from.answer.body.size()) return static_cast<ssize_t>(size);
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (!from.answer.trailers.empty()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        const auto list = list_of(from.answer.trailers);
        nghttp2_submit_trailer(nghttp2, stream, list.data(), list.size());
      }
      return static_cast<ssize_t>(size);
    };
    const auto list = list_of(fields);
    const bool has_body = !a.body.empty() || !a.trailers.empty();
    if (a.reset) {
      nghttp2_submit_headers(session, NGHTTP2_FLAG_NONE, id, nullptr, list.data(), list.size(), nullptr);
      send();
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, *a.reset);
    } else {
      nghttp2_submit_response(session, id, list.data(), list.size(), has_body ? &body : nullptr);
    }
  }

  bool send() {
    for (;;) {
      const std::uint8_t* data = nullptr;
      ssize_t n = nghttp2_session_mem_send(session, &data);
      if (n <= 0) return n == 0;
      while (n > 0) {
        const ssize_t put =
            ssl != nullptr ? SSL_write(ssl, data, static_cast<int>(n)) : ::send(fd, data, static_cast<std::size_t>(n), MSG_NOSIGNAL);
        if (put <= 0) return false;
        data += put;
        n -= put;
      }
    }
  }

  void run() {
    char buffer[16 * 1024];
    while (send() && !is_over && (nghttp2_session_want_read(session) != 0 || nghttp2_session_want_write(session) != 0)) {
      pollfd ready{fd, POLLIN, 0};
      const bool has_bytes = (ssl != nullptr && SSL_pending(ssl) > 0) || ::poll(&ready, 1, 5) > 0;
      if (has_bytes) {
        const ssize_t n = ssl != nullptr ? SSL_read(ssl, buffer, sizeof buffer) : ::recv(fd, buffer, sizeof buffer, 0);
        if (n <= 0 || nghttp2_session_mem_recv(session, reinterpret_cast<std::uint8_t*>(buffer), static_cast<std::size_t>(n)) < 0) return;
      }
      answer_all();
    }
  }

  Http2Server& server;
  const int fd;
  SSL* const ssl;
  const std::size_t index;
  nghttp2_session* session = nullptr;
  std::map<std::int32_t, Stream> streams;
  std::size_t requests = 0;
  bool is_over = false;
};

Http2Server::Http2Server(Http2ServerOptions options) : options_(std::move(options)), gate_is_open_(!options_.is_gated) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's socket BIO knows no other way
  if (options_.identity) {
    context_ = SSL_CTX_new(TLS_server_method());
    show_identity(context_, *options_.identity);
    SSL_CTX_set_alpn_select_cb(
        context_,
        [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered, unsigned offered_size, void*) {
          static constexpr unsigned char kH2[] = {2, 'h', '2'};
          unsigned char* chosen = nullptr;
          if (SSL_select_next_proto(&chosen, size, kH2, sizeof kH2, offered, offered_size) != OPENSSL_NPN_NEGOTIATED)
            return SSL_TLSEXT_ERR_ALERT_FATAL;
          *out = chosen;
          return SSL_TLSEXT_ERR_OK;
        },
        nullptr);
  }
  listener_ = listen_on_loopback(port_);
  accepting_ = std::thread([this] { accept_all(); });
}

Http2Server::~Http2Server() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (std::thread& t : threads_) t.join();
  ::close(listener_);
  SSL_CTX_free(context_);
}

std::string Http2Server::url(std::string_view path) const {
  return (options_.identity ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_) + std::string(path);
}

std::vector<Http2Seen> Http2Server::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}
std::size_t Http2Server::accepted() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}
std::vector<std::uint32_t> Http2Server::resets() const {
  const std::lock_guard lock(mutex_);
  return resets_;
}

bool Http2Server::await(const std::function<bool()>& done) const {
  for (int i = 0; i < 2'000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void Http2Server::accept_all() {
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (ending_ || fd < 0) {
      if (fd >= 0) ::close(fd);
      if (ending_) return;
      continue;
    }
    open_.push_back(fd);
    threads_.emplace_back([this, fd, index = accepted_++] { serve(fd, index); });
  }
}

void Http2Server::serve(int fd, std::size_t index) {
  SSL* ssl = nullptr;
  if (context_ != nullptr) {
    ssl = SSL_new(context_);
    SSL_set_fd(ssl, fd);
  }
  if (ssl == nullptr || SSL_accept(ssl) == 1) {
    Http2Connection(*this, fd, ssl, index).run();
    if (ssl != nullptr) SSL_shutdown(ssl);
  }
  SSL_free(ssl);
  ERR_clear_error();
  shutdown(fd, SHUT_WR);
  char rest[4096];  // what is unread would turn the end into a reset
  while (::recv(fd, rest, sizeof rest, 0) > 0) {
  }
  const std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  ::close(fd);
}

}  // namespace thrum::support
