#include "scripted_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "sanitizers.hpp"

namespace thrum::support {
namespace {

using Time = std::chrono::steady_clock::time_point;

#if defined(THRUM_THREAD_SANITIZER) || defined(THRUM_ADDRESS_SANITIZER)
constexpr auto kPatience = std::chrono::seconds(60);
#else
constexpr auto kPatience = std::chrono::seconds(10);
#endif

Time time_now() { return std::chrono::steady_clock::now(); }

void set_non_blocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// A socket bound to loopback; `port` 0: the kernel chooses.
int bind_to_loopback(bool ipv6, std::uint16_t port) {
  const int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage address{};
  socklen_t size;
  if (ipv6) {
    auto& a = reinterpret_cast<sockaddr_in6&>(address);
    a.sin6_family = AF_INET6;
    a.sin6_addr = in6addr_loopback;
    a.sin6_port = htons(port);
    size = sizeof a;
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  } else {
    auto& a = reinterpret_cast<sockaddr_in&>(address);
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a.sin_port = htons(port);
    size = sizeof a;
  }
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0) throw std::runtime_error("no port on loopback for a test");
  return fd;
}

int listen_on_loopback(bool ipv6, std::uint16_t port, int backlog) {
  const int fd = bind_to_loopback(ipv6, port);
  if (listen(fd, backlog) != 0) throw std::runtime_error("a test server can't listen on loopback");
  return fd;
}

int listen_on_path(const std::string& path, int backlog) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  socklen_t size = sizeof address;
  if (path.starts_with('@')) {
    address.sun_path[0] = '\0';
    size = static_cast<socklen_t>(sizeof address.sun_family + path.size());
  }
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, backlog) != 0)
    throw std::runtime_error("a test server can't listen on " + path);
  return fd;
}

std::string peer_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[INET_ADDRSTRLEN] = "";
  getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size);
  if (address.ss_family == AF_INET) inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in&>(address).sin_addr, text, sizeof text);
  return text;
}

std::uint16_t port_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

// Where the body of the request with this head ends in `in`, in which it begins at `from`; npos: it has not all come.
std::size_t body_end(const std::string& in, std::size_t from, const Seen& head) {
  if (head.header("Transfer-Encoding") != "chunked") {
    const std::size_t end = from + std::strtoull(head.header("Content-Length").c_str(), nullptr, 10);
    return in.size() < end ? std::string::npos : end;
  }
  for (std::size_t at = from;;) {
    const std::size_t line = in.find("\r\n", at);
    if (line == std::string::npos) return line;
    const std::size_t size = std::strtoull(in.c_str() + at, nullptr, 16);
    at = line + 2 + size + 2;
    if (at > in.size()) return std::string::npos;
    if (size == 0) return at;
  }
}

}  // namespace

struct ScriptedServer::Connection {
  int fd = -1;
  std::size_t index = 0;
  std::string peer;
  std::vector<Script::Step> steps;
  std::size_t step = 0;
  bool has_begun = false;  // the step at hand
  Time until{};            // of the step at hand, if it waits for a time
  bool waits_for_time = false;
  std::vector<int> left;  // of each `again`
  std::string in, out;
  Seen last;
  bool is_deaf = false;
};

ScriptedServer::ScriptedServer(Scripts scripts, ServerOptions options) : scripts_(std::move(scripts)), options_(options) {
  listener_ = options_.unix_path.empty() ? listen_on_loopback(options_.ipv6, 0, 1024) : listen_on_path(options_.unix_path, 1024);
  set_non_blocking(listener_);
  if (options_.unix_path.empty()) port_ = port_of(listener_);
  if (pipe2(wakeup_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("a test server has no pipe");
  thread_ = std::thread([this] { run(); });
}

ScriptedServer::~ScriptedServer() {
  command([this] { ending_ = true; });
  thread_.join();
  for (const auto& c : connections_) ::close(c->fd);
  if (listener_ >= 0) ::close(listener_);
  for (const int fd : wakeup_) ::close(fd);
}

std::vector<Seen> ScriptedServer::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}
std::size_t ScriptedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return seen_.size();
}
std::size_t ScriptedServer::accepted() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}
std::size_t ScriptedServer::open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}
std::size_t ScriptedServer::open_peak() const {
  const std::lock_guard lock(mutex_);
  return open_peak_;
}
std::size_t ScriptedServer::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}
std::size_t ScriptedServer::resets() const {
  const std::lock_guard lock(mutex_);
  return resets_;
}

bool ScriptedServer::await(const std::function<bool()>& done) const {
  const Time limit = time_now() + kPatience;
  while (!done()) {
    if (time_now() > limit) return false;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::milliseconds(5));
  }
  return true;
}

// Runs on the server's thread; returns when it is done.
void ScriptedServer::command(std::function<void()> action) {
  bool done = false;
  {
    const std::lock_guard lock(mutex_);
    commands_.emplace_back([this, &done, action = std::move(action)] {
      action();
      const std::lock_guard inner(mutex_);
      done = true;
      changed_.notify_all();
    });
  }
  [[maybe_unused]] const auto n = ::write(wakeup_[1], "x", 1);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done; });
}

void ScriptedServer::open_gate() {
  command([this] { gate_is_open_ = true; });
}

void ScriptedServer::stop_listening() {
  command([this] {
    if (listener_ >= 0) ::close(std::exchange(listener_, -1));
  });
}

void ScriptedServer::listen_again() {
  command([this] {
    listener_ = listen_on_loopback(options_.ipv6, port_, 1024);
    set_non_blocking(listener_);
  });
}

void ScriptedServer::reset_all() {
  command([this] {
    for (const auto& c : connections_) close(*c, true);
  });
}

// Milliseconds until some connection's time comes.
int ScriptedServer::timeout() const {
  Time next = Time::max();
  const Time t = time_now();
  for (const auto& c : connections_) {
    if (c->waits_for_time) next = std::min(next, c->until);
    if (!c->out.empty() && frozen_until_ > t) next = std::min(next, frozen_until_);
  }
  if (next == Time::max()) return -1;
  return static_cast<int>(std::max<std::int64_t>(0, std::chrono::ceil<Millis>(next - t).count()));
}

void ScriptedServer::run() {
  std::vector<pollfd> fds;
  while (!ending_) {
    fds.assign({{wakeup_[0], POLLIN, 0}, {listener_, POLLIN, 0}});
    for (const auto& c : connections_) {
      const bool wants_out = !c->out.empty() && frozen_until_ <= time_now();
      fds.push_back({c->fd, static_cast<short>((c->is_deaf ? 0 : POLLIN) | (wants_out ? POLLOUT : 0)), 0});
    }
    poll(fds.data(), fds.size(), timeout());
    for (std::size_t i = 2; i < fds.size(); ++i) {
      Connection& c = *connections_[i - 2];
      if ((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !receive(c)) continue;
      go_on(c);
    }
    if (fds[0].revents != 0) {
      char ignored[64];
      while (::read(wakeup_[0], ignored, sizeof ignored) > 0) {
      }
      std::vector<std::function<void()>> commands;
      {
        const std::lock_guard lock(mutex_);
        commands.swap(commands_);
      }
      for (const auto& action : commands) action();
      for (const auto& c : connections_) go_on(*c);
    }
    if (fds[1].revents != 0 && fds[1].fd == listener_) accept_one();
    std::erase_if(connections_, [](const auto& c) { return c->fd < 0; });
  }
}

void ScriptedServer::accept_one() {
  const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto& c = *connections_.emplace_back(std::make_unique<Connection>());
  c.fd = fd;
  c.peer = peer_of(fd);
  {
    const std::lock_guard lock(mutex_);
    c.index = accepted_++;
    ++open_;
    if (accepted_ >= options_.accepts) ::close(std::exchange(listener_, -1));
  }
  note_peak();
  c.steps = scripts_(c.index).steps();
  for (const Script::Step& s : c.steps) c.left.push_back(s.times);
  go_on(c);
}

// Those that their clients have closed meanwhile don't count, seen by this thread or not.
void ScriptedServer::note_peak() {
  std::vector<pollfd> fds;
  for (const auto& c : connections_)
    if (c->fd >= 0) fds.push_back({c->fd, POLLRDHUP, 0});
  poll(fds.data(), fds.size(), 0);
  const auto open = static_cast<std::size_t>(std::ranges::count_if(fds, [](const pollfd& p) { return p.revents == 0; }));
  const std::lock_guard lock(mutex_);
  open_peak_ = std::max(open_peak_, open);
  changed_.notify_all();
}

// False: the connection is gone.
bool ScriptedServer::receive(Connection& c) {
  char buffer[64 * 1024];
  while (c.fd >= 0 && !c.is_deaf) {
    const ssize_t n = recv(c.fd, buffer, sizeof buffer, 0);
    if (n > 0) {
      c.in.append(buffer, static_cast<std::size_t>(n));
      const std::lock_guard lock(mutex_);
      received_ += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return true;
    if (n < 0 && errno == ECONNRESET) {
      const std::lock_guard lock(mutex_);
      ++resets_;
    }
    close(c, false);
  }
  if (c.fd >= 0) {  // nothing is read, but the client may be gone
    pollfd p{c.fd, POLLRDHUP, 0};
    if (poll(&p, 1, 0) > 0) close(c, false);
  }
  return c.fd >= 0;
}

// Carries the script on as far as it goes now. False: the connection is gone.
bool ScriptedServer::go_on(Connection& c) {
  using Kind = Script::Kind;
  while (c.fd >= 0 && flush(c) && c.step < c.steps.size()) {
    const Script::Step& s = c.steps[c.step];
    if (!std::exchange(c.has_begun, true)) {
      c.waits_for_time = s.time.count() > 0 && (s.kind == Kind::pause || s.kind == Kind::request);
      c.until = time_now() + s.time;
    }
    const bool is_time = c.waits_for_time && time_now() >= c.until;
    std::size_t next = c.step + 1;
    switch (s.kind) {
      case Kind::request:
        if (!c.in.empty()) c.waits_for_time = false;
        if (take_request(c)) break;
        if (is_time && c.in.empty()) close(c, false);
        return c.fd >= 0;
      case Kind::head:
        if (!take_head(c)) return c.fd >= 0;
        break;
      case Kind::body:
        if (!take_body(c)) return c.fd >= 0;
        break;
      case Kind::bytes:
        c.out += s.bytes;
        break;
      case Kind::reply:
        c.out += s.reply(c.last);
        break;
      case Kind::pause:
        if (c.waits_for_time && !is_time) return true;
        break;
      case Kind::gate:
        if (!gate_is_open_) return true;
        break;
      case Kind::freeze:
        if (!std::exchange(was_frozen_, true)) frozen_until_ = time_now() + s.time;
        break;
      case Kind::half_close:
        shutdown(c.fd, SHUT_WR);
        break;
      case Kind::close:
      case Kind::reset:
        close(c, s.kind == Kind::reset);
        return false;
      case Kind::deaf:
        c.is_deaf = true;
        break;
      case Kind::again:
        if (c.left[c.step] == 0) break;
        if (c.left[c.step] > 0) --c.left[c.step];
        next = s.to;
        break;
    }
    c.step = next;
    c.has_begun = c.waits_for_time = false;
  }
  return c.fd >= 0;
}

// Sends what there is to send. False: more is left, or the connection is gone.
bool ScriptedServer::flush(Connection& c) {
  while (!c.out.empty()) {
    if (frozen_until_ > time_now()) return false;
    const ssize_t n = send(c.fd, c.out.data(), c.out.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return false;
    if (n < 0) {
      close(c, false);
      return false;
    }
    c.out.erase(0, static_cast<std::size_t>(n));
  }
  return true;
}

bool ScriptedServer::take_request(Connection& c) {
  const std::size_t end = c.in.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  Seen seen;
  seen.raw = c.in.substr(0, end + 4);
  const std::size_t size = body_end(c.in, end + 4, seen);
  if (size == std::string::npos) return false;
  seen.raw = c.in.substr(0, size);
  c.in.erase(0, size);
  note(c, std::move(seen));
  return true;
}

bool ScriptedServer::take_head(Connection& c) {
  const std::size_t end = c.in.find("\r\n\r\n");
  if (end == std::string::npos) return false;
  Seen seen;
  seen.raw = c.in.substr(0, end + 4);
  c.in.erase(0, end + 4);
  note(c, std::move(seen));
  return true;
}

// Of the request whose head was taken: it is added to what was seen of it.
bool ScriptedServer::take_body(Connection& c) {
  const std::size_t size = body_end(c.in, 0, c.last);
  if (size == std::string::npos) return false;
  c.last.raw += c.in.substr(0, size);
  c.in.erase(0, size);
  const std::lock_guard lock(mutex_);
  seen_[c.last.number].raw = c.last.raw;
  changed_.notify_all();
  return true;
}

void ScriptedServer::note(Connection& c, Seen seen) {
  seen.connection = c.index;
  seen.peer = c.peer;
  seen.at = time_now();
  const std::lock_guard lock(mutex_);
  seen.number = seen_.size();
  c.last = seen;
  seen_.push_back(std::move(seen));
  changed_.notify_all();
}

void ScriptedServer::close(Connection& c, bool hard) {
  if (c.fd < 0) return;
  const linger linger_for{1, 0};
  if (hard) setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &linger_for, sizeof linger_for);
  ::close(std::exchange(c.fd, -1));
  const std::lock_guard lock(mutex_);
  --open_;
  changed_.notify_all();
}

FullBacklog::FullBacklog() {
  listener_ = listen_on_loopback(false, 0, 0);
  port_ = port_of(listener_);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port_);
  for (int i = 0; i < 3; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    [[maybe_unused]] const int r = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    fillers_.push_back(fd);
  }
}

FullBacklog::~FullBacklog() {
  for (const int fd : fillers_) ::close(fd);
  ::close(listener_);
}

RefusingPort::RefusingPort() : socket_(bind_to_loopback(false, 0)), port_(port_of(socket_)) {}
RefusingPort::~RefusingPort() { ::close(socket_); }

}  // namespace thrum::support
