// What benches attack: fixed answers from memory, one thread, one epoll loop, on a core of its own. It does as little as a server can, so
// that the client is what is measured, and it counts what came, so that clients' counts can be held against its own.
//   server [PORT]   prints "listening on 127.0.0.1:PORT"; /count tells requests, connections and bytes of bodies so far, as JSON.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSlow = std::chrono::milliseconds(20);
constexpr std::size_t kLongestHead = 16 * 1024;

struct Answer {
  std::string_view path;
  std::string bytes;  // head and body
  bool slow = false;
};

std::string answer(std::string_view status, std::string_view type, const std::string& body) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// About 800 bytes, as the API of a shop would send them.
std::string products() {
  std::string json = "[";
  for (int i = 1; i <= 10; ++i)
    json += (i > 1 ? "," : "") + ("{\"id\":" + std::to_string(1000 + i)) + ",\"title\":\"product no " + std::to_string(i) +
            "\",\"price\":" + std::to_string(i * 7) + ".95,\"stock\":" + std::to_string(100 - i) + ",\"tags\":[\"a\",\"b\"]}";
  return json + "]";
}

const std::vector<Answer>& answers() {
  constexpr std::string_view kText = "text/plain";
  static const std::string small(16, 'x');
  static const std::vector<Answer> all = {
      {"/16", answer("200 OK", kText, small)},
      {"/json", answer("200 OK", "application/json", products())},
      {"/16k", answer("200 OK", kText, std::string(16 << 10, 'x'))},
      {"/256k", answer("200 OK", kText, std::string(256 << 10, 'x'))},
      {"/5m", answer("200 OK", kText, std::string(5'000'000, 'x'))},
      {"/slow", answer("200 OK", kText, small), true},
      {"/503", answer("503 Service Unavailable", kText, small)},
      {"/post", answer("200 OK", kText, small)},
  };
  return all;
}

struct Connection {
  int fd = -1;
  std::uint32_t generation = 0;
  std::array<char, kLongestHead> in;
  std::size_t filled = 0;  // of `in`
  std::uint64_t skip = 0;  // bytes of the request's body that are still to come
  std::string_view out;    // what is left of the answer
  std::string own;         // an answer that is not one of the fixed
  const Answer* asked = nullptr;
  bool waits = false;  // for its time to be answered
  bool last = false;   // closes once the answer is out
};

struct Counts {
  std::uint64_t requests = 0, connections = 0, body_bytes = 0;
};

// The value of a header, or nothing. Names of what clients send here come in any case.
std::optional<std::string_view> header(std::string_view head, std::string_view name) {
  const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':' || !std::ranges::equal(line.substr(0, name.size()), name, same)) continue;
    std::string_view value = line.substr(name.size() + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return std::nullopt;
}

class Server {
 public:
  explicit Server(std::uint16_t port) : epoll_(::epoll_create1(0)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 16384) != 0) {
      std::perror("bench server");
      std::exit(1);
    }
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    std::printf("listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    std::fflush(stdout);
    epoll_event event{.events = EPOLLIN, .data = {.u64 = kListener}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 512> events;
    for (;;) {
      const int n = ::epoll_wait(epoll_, events.data(), events.size(), until_next());
      for (int i = 0; i < n; ++i) {
        if (events[i].data.u64 == kListener)
          accept();
        else
          turn(*connections_[events[i].data.u64], events[i].events);
      }
      answer_slow();
    }
  }

 private:
  static constexpr std::uint64_t kListener = ~std::uint64_t{0};
  struct Slow {
    Clock::time_point due;
    std::size_t connection;
    std::uint32_t generation;
  };

  void accept() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK);
      if (fd < 0) return;
      const int on = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      const auto at = static_cast<std::size_t>(fd);
      if (at >= connections_.size()) connections_.resize(at + 1);
      if (!connections_[at]) connections_[at] = std::make_unique<Connection>();
      connections_[at]->fd = fd;
      ++counts_.connections;
      epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.u64 = at}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    }
  }

  void close(Connection& c) {
    ::close(c.fd);
    c.fd = -1;
    ++c.generation;
    c.filled = 0;
    c.skip = 0;
    c.out = {};
    c.waits = c.last = false;
  }

  // What can be done for a connection: send what is left, answer what was read, read, until the kernel has no more. A short read was all
  // there was, unless the other end closed: then the end is still to be read.
  void turn(Connection& c, std::uint32_t events) {
    bool drained = false;
    while (c.fd >= 0) {
      if (!c.out.empty() && !send(c)) return;
      if (c.waits || (!take(c) && drained)) return;
      if (c.fd < 0 || c.waits || !c.out.empty()) continue;
      const std::size_t room = c.in.size() - c.filled;
      const ssize_t got = ::recv(c.fd, c.in.data() + c.filled, room, 0);
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return close(c);
      c.filled += static_cast<std::size_t>(got);
      drained = static_cast<std::size_t>(got) < room && (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) == 0;
    }
  }

  // Whether all that was to go out went.
  bool send(Connection& c) {
    while (!c.out.empty()) {
      const ssize_t sent = ::send(c.fd, c.out.data(), c.out.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EAGAIN) return false;
      if (sent < 0) return close(c), false;
      c.out.remove_prefix(static_cast<std::size_t>(sent));
    }
    if (c.last) return close(c), false;
    return true;
  }

  // Takes the next whole request from what was read; false if there is none.
  bool take(Connection& c) {
    if (c.skip > 0) {
      const auto part = std::min<std::uint64_t>(c.skip, c.filled);
      drop(c, part);
      c.skip -= part;
      if (c.skip > 0) return false;
      reply(c);
      return true;
    }
    const std::string_view text(c.in.data(), c.filled);
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) {
      if (c.filled == c.in.size()) close(c);
      return false;
    }
    const std::string_view head = text.substr(0, end);
    c.asked = find(head);
    c.last = head.substr(0, head.find("\r\n")).ends_with("HTTP/1.0") || header(head, "connection").value_or("").starts_with("close");
    c.skip = std::strtoull(std::string(header(head, "content-length").value_or("0")).c_str(), nullptr, 10);
    counts_.body_bytes += c.skip;
    if (c.asked != nullptr)
      ++counts_.requests;
    else
      c.own = other(head);
    drop(c, end + 4);
    if (c.skip > 0) return take(c);
    reply(c);
    return true;
  }

  void drop(Connection& c, std::size_t n) {
    std::copy(c.in.begin() + n, c.in.begin() + c.filled, c.in.begin());
    c.filled -= n;
  }

  void reply(Connection& c) {
    c.waits = c.asked != nullptr && c.asked->slow;
    if (c.waits)
      slow_.push_back({Clock::now() + kSlow, static_cast<std::size_t>(c.fd), c.generation});
    else
      c.out = c.asked != nullptr ? c.asked->bytes : c.own;
  }

  static const Answer* find(std::string_view head) {
    const std::size_t from = head.find(' ');
    if (from == std::string_view::npos) return nullptr;
    const std::string_view path = head.substr(from + 1, head.find(' ', from + 1) - from - 1);
    const auto it = std::ranges::find(answers(), path, &Answer::path);
    return it == answers().end() ? nullptr : &*it;
  }

  std::string other(std::string_view head) const {
    if (!head.starts_with("GET /count ")) return answer("404 Not Found", "text/plain", "not here\n");
    return answer("200 OK", "application/json",
                  "{\"requests\":" + std::to_string(counts_.requests) + ",\"connections\":" + std::to_string(counts_.connections) +
                      ",\"body_bytes\":" + std::to_string(counts_.body_bytes) + "}\n");
  }

  // Every slow answer takes the same time, so the first to come is the first to go.
  int until_next() const {
    if (slow_.empty()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(slow_.front().due - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(0, left.count()));
  }
  void answer_slow() {
    while (!slow_.empty() && slow_.front().due <= Clock::now()) {
      const Slow slow = slow_.front();
      slow_.pop_front();
      Connection& c = *connections_[slow.connection];
      if (c.generation != slow.generation) continue;
      c.waits = false;
      c.out = c.asked->bytes;
      turn(c, EPOLLRDHUP);
    }
  }

  int epoll_, listener_;
  std::vector<std::unique_ptr<Connection>> connections_;  // by descriptor
  std::deque<Slow> slow_;
  Counts counts_;
};

}  // namespace

int main(int argc, char** argv) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  answers();
  Server(argc > 1 ? static_cast<std::uint16_t>(std::atoi(argv[1])) : 0).run();
}
