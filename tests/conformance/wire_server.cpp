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
#include <charconv>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

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
  if (options.demands_certificate) {
    SSL_CTX_set_max_proto_version(tls, TLS1_2_VERSION);
    SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, [](int, X509_STORE_CTX*) { return 1; });
  }
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

WireServer::WireServer(std::vector<WireConnection> script, const WireOptions& options) : script_(std::move(script)) {
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
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (is_over_ || fd < 0) {
      if (fd >= 0) ::close(fd);
      if (is_over_) return;
      continue;
    }
    open_.push_back(fd);
    requests_.emplace_back();
    threads_.emplace_back([this, fd, number = requests_.size() - 1] { serve(fd, number); });
  }
}

void WireServer::serve(int fd, std::size_t number) {
  const WireConnection& script = script_[std::min(number, script_.size() - 1)];
  Link link{.fd = fd, .ssl = nullptr, .in = {}};
  bool goes_on = script.start == WireConnection::Start::reads;
  if (script.start == WireConnection::Start::resets) link.reset_on_close();
  if (goes_on && tls_ != nullptr) {
    link.ssl = SSL_new(tls_);
    SSL_set_fd(link.ssl, fd);
    goes_on = SSL_accept(link.ssl) == 1;
  }
  std::string request;
  for (std::size_t n = 0; goes_on && take_request(link, request); ++n) {
    {
      const std::lock_guard lock(mutex_);
      requests_[number].push_back(request);
    }
    goes_on = do_steps(link, script.requests[std::min(n, script.requests.size() - 1)]);
  }
  SSL_free(link.ssl);
  ERR_clear_error();
  const std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  ::close(fd);
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
