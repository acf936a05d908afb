#include "wire_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "http2_frames.hpp"

namespace thrum::golden {
namespace {

void must(bool fine, const char* what) {
  if (!fine) throw std::runtime_error(std::string("the recorder: ") + what);
}

std::string header_of(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at != head.npos && at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const std::size_t colon = line.find(':');
    if (colon != name.size() || strncasecmp(line.data(), name.data(), colon) != 0) continue;
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    return std::string(value == line.npos ? "" : line.substr(value));
  }
  return "";
}

// Bytes of the request that `in` begins with; npos: not all of it is there.
std::size_t request_size(std::string_view in) {
  const std::size_t end = in.find("\r\n\r\n");
  if (end == in.npos) return in.npos;
  std::size_t at = end + 4;
  const std::string_view head = in.substr(0, at);
  std::size_t size = 0;
  if (strcasecmp(header_of(head, "Transfer-Encoding").c_str(), "chunked") != 0) {
    const std::string length = header_of(head, "Content-Length");
    std::from_chars(length.data(), length.data() + length.size(), size);
    return at + size <= in.size() ? at + size : in.npos;
  }
  for (;;) {
    const std::size_t line = in.find("\r\n", at);
    if (line == in.npos) return in.npos;
    std::from_chars(in.data() + at, in.data() + line, size, 16);
    at = line + 2 + size + 2;  // the last chunk: no trailers, an empty line
    if (at > in.size()) return in.npos;
    if (size == 0) return at;
  }
}

// HTTP/1.1 is chosen, by saying nothing; what was offered is kept in the arrival that the connection carries.
int choose_protocol(ssl_st* ssl, const unsigned char**, unsigned char*, const unsigned char* offered, unsigned size, void*) {
  auto* const protocols = static_cast<std::vector<std::string>*>(SSL_get_app_data(ssl));
  for (unsigned at = 0; at < size; at += 1u + offered[at]) protocols->emplace_back(offered + at + 1, offered + at + 1 + offered[at]);
  return SSL_TLSEXT_ERR_NOACK;
}

// A request's fields as HTTP/1.1 would have them: "GET /a HTTP/2", "Host: …", "X-Own: …".
std::string head_of(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string method, path, lines;
  for (const auto& [name, value] : fields) {
    if (name == ":method") method = value;
    if (name == ":path") path = value;
    if (name == ":authority") lines += "Host: " + value + "\r\n";
    if (name.starts_with(':')) continue;
    bool is_first = true;
    for (const char c : name) {
      lines += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      is_first = c == '-';
    }
    lines += ": " + value + "\r\n";
  }
  return method + " " + path + " HTTP/2\r\n" + lines + "\r\n";
}

std::string http2_frame(int type, int flags, std::uint32_t stream, std::string_view payload) {
  std::string frame;
  for (const int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift & 0xff);
  frame += static_cast<char>(type);
  frame += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift & 0xff);
  return frame.append(payload);
}

// A response of HTTP/1.1 as HEADERS and DATA. Each field is a literal that is not indexed (RFC 7541, section 6.2.2); none of its
// parts is longer than 126 bytes.
std::string http2_response(std::uint32_t stream, std::string_view bytes) {
  constexpr int kData = 0, kHeaders = 1, kEndStream = 1, kEndHeaders = 4;
  std::string fields;
  const auto add = [&](std::string_view name, std::string_view value) {
    fields += '\0';
    for (const std::string_view part : {name, value}) (fields += static_cast<char>(part.size())).append(part);
  };
  add(":status", bytes.substr(bytes.find(' ') + 1, 3));
  const std::size_t end = bytes.find("\r\n\r\n");
  for (std::size_t at = bytes.find("\r\n"); at < end; at = bytes.find("\r\n", at + 2)) {
    const std::string_view line = bytes.substr(at + 2, bytes.find("\r\n", at + 2) - at - 2);
    std::string name(line.substr(0, line.find(':')));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    add(name, line.substr(line.find(": ") + 2));
  }
  return http2_frame(kHeaders, kEndHeaders, stream, fields) + http2_frame(kData, kEndStream, stream, bytes.substr(end + 4));
}

ssl_ctx_st* make_tls(const WireOptions& options) {
  ssl_ctx_st* const tls = SSL_CTX_new(TLS_server_method());
  BIO* in = BIO_new_mem_buf(options.certificate.data(), static_cast<int>(options.certificate.size()));
  X509* const certificate = PEM_read_bio_X509(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  in = BIO_new_mem_buf(options.key.data(), static_cast<int>(options.key.size()));
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(in, nullptr, nullptr, nullptr);
  BIO_free(in);
  must(SSL_CTX_use_certificate(tls, certificate) == 1 && SSL_CTX_use_PrivateKey(tls, key) == 1, "certificate and key don't fit");
  X509_free(certificate);
  EVP_PKEY_free(key);
  constexpr auto kTakesAny = [](int, X509_STORE_CTX*) { return 1; };
  if (options.demands_certificate) {
    SSL_CTX_set_max_proto_version(tls, TLS1_2_VERSION);
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, kTakesAny);
  } else if (options.asks_for_certificate) {
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER, kTakesAny);
    SSL_CTX_set_session_id_context(tls, reinterpret_cast<const unsigned char*>("wire"), 4);
  }
  SSL_CTX_set_alpn_select_cb(tls, choose_protocol, nullptr);
  return tls;
}

int listen_on(const std::string& unix_path, std::uint16_t& port) {
  const int fd = ::socket(unix_path.empty() ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (!unix_path.empty()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    must(unix_path.size() < sizeof address.sun_path, "the path is too long");
    std::memcpy(address.sun_path, unix_path.data(), unix_path.size());
    must(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "no unix socket");
  } else {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    must(::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0, "no port");
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
  }
  must(::listen(fd, 64) == 0, "can't listen");
  return fd;
}

// Redirects name the port that the server had when they were recorded.
std::string with_port(std::string bytes, std::uint16_t port) {
  constexpr std::string_view kRecorded = ":18080";
  for (std::size_t at = 0; (at = bytes.find(kRecorded, at)) != std::string::npos;)
    bytes.replace(at, kRecorded.size(), ":" + std::to_string(port));
  return bytes;
}

}  // namespace

struct WireServer::Link {
  int fd;
  ssl_st* ssl = nullptr;
  std::string in;

  bool read() {
    char buffer[65536];
    const auto n = ssl != nullptr ? SSL_read(ssl, buffer, sizeof buffer) : ::recv(fd, buffer, sizeof buffer, 0);
    if (n <= 0) return false;
    in.append(buffer, static_cast<std::size_t>(n));
    return true;
  }
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ssl != nullptr ? SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size()))
                                    : ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void reset_on_close() const {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
};

WireServer::WireServer(std::vector<WireConnection> script, const WireOptions& options)
    : script_(std::move(script)), answer_(options.answer), is_proxy_(options.is_proxy), speaks_http2_(options.speaks_http2) {
  std::signal(SIGPIPE, SIG_IGN);  // OpenSSL's socket BIO knows no other way
  if (!options.certificate.empty()) tls_ = make_tls(options);
  listener_ = listen_on(options.unix_path, port_);
  must(::pipe(ending_) == 0, "no pipe");
  accepting_ = std::thread([this] { accept_all(); });
}

WireServer::~WireServer() {
  finish();
  if (tls_ != nullptr) SSL_CTX_free(tls_);
}

std::vector<std::vector<std::string>> WireServer::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (!is_over_) {
      is_over_ = true;
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
      ::close(ending_[1]);
      ::shutdown(listener_, SHUT_RDWR);
    }
  }
  if (accepting_.joinable()) {
    accepting_.join();
    for (std::thread& t : threads_) t.join();
    ::close(listener_);
    ::close(ending_[0]);
  }
  return requests_;
}

void WireServer::accept_all() {
  for (;;) {
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const int fd = ::accept4(listener_, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (is_over_ || fd < 0) {
      if (fd >= 0) ::close(fd);
      if (is_over_) return;
      continue;
    }
    open_.push_back(fd);
    requests_.emplace_back();
    char peer[INET_ADDRSTRLEN] = "";
    if (from.sin_family == AF_INET) ::inet_ntop(AF_INET, &from.sin_addr, peer, sizeof peer);
    arrivals_.push_back({.peer = peer, .at = std::chrono::steady_clock::now(), .protocols = {}});
    threads_.emplace_back([this, fd, number = requests_.size() - 1] { serve(fd, number); });
  }
}

void WireServer::serve(int fd, std::size_t number) {
  const WireConnection& script = script_[std::min(number, script_.size() - 1)];
  Link link{.fd = fd, .ssl = nullptr, .in = {}};
  bool goes_on = script.start == WireConnection::Start::reads;
  if (script.start == WireConnection::Start::resets) link.reset_on_close();
  if (goes_on && tls_ != nullptr) goes_on = shake_hands(link, number);
  std::string request;
  if (goes_on && speaks_http2_) {
    serve_http2(link, number);
    goes_on = false;
  }
  for (std::size_t n = 0; goes_on && take_request(link, request); ++n) {
    {
      const std::lock_guard lock(mutex_);
      requests_[number].push_back(request);
    }
    if (is_proxy_ && request.starts_with("CONNECT ")) {
      tunnel(link, request);
      break;
    }
    goes_on = do_steps(link, answer_ ? answer_(request) : script.requests[std::min(n, script.requests.size() - 1)]);
  }
  SSL_free(link.ssl);
  ERR_clear_error();
  const std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  ::close(fd);
}

bool WireServer::shake_hands(Link& link, std::size_t number) {
  std::vector<std::string> protocols;
  link.ssl = SSL_new(tls_);
  SSL_set_fd(link.ssl, link.fd);
  SSL_set_app_data(link.ssl, &protocols);
  const bool done = SSL_accept(link.ssl) == 1;
  const std::lock_guard lock(mutex_);
  WireArrival& arrival = arrivals_[number];
  arrival.protocols = std::move(protocols);
  arrival.was_resumed = SSL_session_reused(link.ssl) == 1;
  X509* const certificate = SSL_get1_peer_certificate(link.ssl);
  arrival.showed_certificate = certificate != nullptr;
  X509_free(certificate);
  return done;
}

void WireServer::serve_http2(Link& link, std::size_t number) {
  using Clock = std::chrono::steady_clock;
  struct Response {
    std::uint32_t stream;
    std::string bytes;
    Clock::time_point due;
  };
  constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  std::map<std::uint32_t, std::string> requests;
  std::deque<Response> waiting;
  std::size_t taken = 0;
  bool goes_on = link.write(std::string(9, '\0').replace(3, 1, "\x04"));  // SETTINGS that change nothing
  while (goes_on) {
    pollfd ready[] = {{link.fd, POLLIN, 0}, {ending_[0], POLLIN, 0}};
    const auto left = waiting.empty() ? Clock::duration(-1) : std::max(waiting.front().due - Clock::now(), Clock::duration(0));
    const int timeout = waiting.empty() ? -1 : static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
    if (::poll(ready, 2, timeout) < 0 || ready[1].revents != 0) return;
    if (ready[0].revents != 0) goes_on = link.read();
    for (; !waiting.empty() && waiting.front().due <= Clock::now(); waiting.pop_front())
      goes_on = goes_on && link.write(http2_response(waiting.front().stream, waiting.front().bytes));
    if (!goes_on || !link.in.starts_with(kPreface)) continue;
    const auto frames = read_frames(std::string_view(link.in).substr(kPreface.size()));
    for (; taken < frames.size(); ++taken) {
      const Http2Frame& frame = frames[taken];
      constexpr int kData = 0, kHeaders = 1, kEnd = 1;
      if (frame.type == kHeaders) requests[frame.stream] = head_of(frame.fields);
      if (frame.type == kData) requests[frame.stream] += frame.payload;
      if ((frame.type != kHeaders && frame.type != kData) || (frame.flags & kEnd) == 0) continue;
      const std::string& request = requests[frame.stream];
      {
        const std::lock_guard lock(mutex_);
        requests_[number].push_back(request);
      }
      Response& response = waiting.emplace_back(Response{frame.stream, {}, Clock::now()});
      for (const WireStep& step : answer_(request))
        if (step.kind == WireStep::Kind::sleep)
          response.due += std::chrono::milliseconds(step.milliseconds);
        else
          response.bytes += step.bytes;
    }
  }
}

// To the port on loopback that the request names, until either side ends.
void WireServer::tunnel(Link& link, const std::string& request) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const std::string place = request.substr(0, request.find(" HTTP/"));
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(place.c_str() + place.rfind(':') + 1)));
  const int target = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool goes_on = ::connect(target, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 && link.write("HTTP/1.1 200 OK\r\n\r\n");
  while (goes_on) {
    pollfd ready[] = {{link.fd, POLLIN, 0}, {target, POLLIN, 0}, {ending_[0], POLLIN, 0}};
    if (::poll(ready, 3, -1) < 1 || ready[2].revents != 0) break;
    for (const auto& [from, into] : {std::pair(ready[0], target), std::pair(ready[1], link.fd)}) {
      if (from.revents == 0) continue;
      char buffer[16384];
      const ssize_t n = ::recv(from.fd, buffer, sizeof buffer, 0);
      goes_on = goes_on && n > 0 && ::send(into, buffer, static_cast<std::size_t>(n), MSG_NOSIGNAL) == n;
    }
  }
  ::close(target);
}

bool WireServer::take_request(Link& link, std::string& request) {
  std::size_t size;
  if (link.in.empty() && !link.read()) return false;
  if (link.in[0] < 'A') {  // no request: a TLS hello, or frames
    request = std::exchange(link.in, {});
    return true;
  }
  while ((size = request_size(link.in)) == std::string::npos)
    if (!link.read()) return false;
  request = link.in.substr(0, size);
  link.in.erase(0, size);
  return true;
}

// False: the connection is over.
bool WireServer::do_steps(Link& link, const std::vector<WireStep>& steps) {
  for (const WireStep& step : steps) {
    switch (step.kind) {
      case WireStep::Kind::send:
        if (!link.write(with_port(step.bytes, port_))) return false;
        break;
      case WireStep::Kind::sleep: {
        pollfd ended{ending_[0], POLLIN, 0};
        if (::poll(&ended, 1, step.milliseconds) != 0) return false;
        break;
      }
      case WireStep::Kind::close:
        return false;
      case WireStep::Kind::reset:
        link.reset_on_close();
        return false;
    }
  }
  return true;
}

}  // namespace thrum::golden
