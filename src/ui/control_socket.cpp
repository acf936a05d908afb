#include "ui/control_socket.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "host/background.hpp"

namespace thrum::ui {
namespace {

constexpr int kPatience = 10'000;  // ms that the other side is waited for

std::optional<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path || path.find('\0') != path.npos) return {};
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

int connect_to(int fd, const sockaddr_un& address) {
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

std::string too_long(const std::string& path) {
  return fmt::format("\"{}\" can't name a socket: a path of 1 to {} bytes", printable_prefix(path, 60), sizeof(sockaddr_un::sun_path) - 1);
}

// Takes away a socket that nobody listens on any more.
Expected<void> make_way(const std::string& path, const sockaddr_un& address, std::string_view flag) {
  struct stat there{};
  if (::lstat(path.c_str(), &there) != 0) return {};
  if (!S_ISSOCK(there.st_mode)) return failure(fmt::format("{}={}: there is a file of that name; choose another", flag, printable(path)));
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect_to(probe.get(), address) != ECONNREFUSED)
    return failure(fmt::format("{}={}: another process listens there; choose another name", flag, printable(path)));
  ::unlink(path.c_str());
  return {};
}

}  // namespace

Expected<std::unique_ptr<ControlSocket>> ControlSocket::open(const std::string& path, std::string_view flag, Answer answer) {
  const auto address = address_of(path);
  if (!address) return usage_error(fmt::format("{}: {}", flag, too_long(path)));
  if (auto clear = make_way(path, *address, flag); !clear) return std::unexpected(clear.error());
  Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const mode_t before = ::umask(0177);
  const bool is_bound = listener.is_open() && ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0;
  const int error = errno;
  ::umask(before);
  if (!is_bound || ::listen(listener.get(), static_cast<int>(kMostClients)) != 0)
    return failure(fmt::format("{}={}: can't listen: {}", flag, printable(path), std::strerror(is_bound ? errno : error)));
  std::unique_ptr<ControlSocket> socket(new ControlSocket(std::move(listener), path, std::move(answer)));
  try {
    socket->thread_ = std::thread([s = socket.get()] { s->run(); });
  } catch (const std::system_error& e) {
    return failure(fmt::format("can't start the thread of {}: {}", flag, e.code().message()));
  }
  return socket;
}

ControlSocket::ControlSocket(Fd listener, std::string path, Answer answer)
    : listener_(std::move(listener)), end_(::eventfd(0, EFD_CLOEXEC)), path_(std::move(path)), answer_(std::move(answer)) {}

ControlSocket::~ControlSocket() {
  const std::uint64_t one = 1;
  (void)!::write(end_.get(), &one, sizeof one);
  if (thread_.joinable()) thread_.join();
  ::unlink(path_.c_str());
}

void ControlSocket::run() {
  pthread_setname_np(pthread_self(), "thrum-control");
  const host::Background background;
  std::vector<pollfd> watched;
  for (;;) {
    watched = {{end_.get(), POLLIN, 0}, {clients_.size() < kMostClients ? listener_.get() : -1, POLLIN, 0}};
    for (const Client& c : clients_)
      watched.push_back({c.fd.get(), static_cast<short>(c.out.empty() ? POLLIN : POLLOUT), 0});  // an answer is read before the next line
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    if (watched[0].revents != 0) return;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (watched[i + 2].revents == 0) continue;
      Client& c = clients_[i];
      if (c.out.empty()) read(c);
      if (!c.out.empty()) write(c);
    }
    std::erase_if(clients_, [](const Client& c) { return !c.fd.is_open() || (c.is_ending && c.out.empty()); });
    if (watched[1].revents != 0) accept_one();
  }
}

void ControlSocket::accept_one() {
  Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (fd.is_open()) clients_.push_back({std::move(fd), {}, {}, false});
}

void ControlSocket::read(Client& c) {
  char bytes[1024];
  const ssize_t n = ::recv(c.fd.get(), bytes, sizeof bytes, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return c.fd.reset();
  c.in.append(bytes, static_cast<std::size_t>(n));
  for (std::size_t end = c.in.find('\n'); end != c.in.npos && c.out.size() < kLongestLine; end = c.in.find('\n')) {
    c.out += answer_(trim(std::string_view(c.in).substr(0, end))) + '\n';
    c.in.erase(0, end + 1);
  }
  if (c.in.size() <= kLongestLine) return;
  c.out += fmt::format("error: a line of more than {} bytes\n", kLongestLine);
  c.is_ending = true;
}

void ControlSocket::write(Client& c) const {
  const ssize_t n = ::send(c.fd.get(), c.out.data(), c.out.size(), MSG_NOSIGNAL);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n < 0) return c.fd.reset();
  c.out.erase(0, static_cast<std::size_t>(n));
}

Expected<std::string> ask_control_socket(const std::string& path, std::string_view line) {
  const auto address = address_of(path);
  if (!address) return usage_error(too_long(path));
  const Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (const int error = connect_to(fd.get(), *address); error != 0)
    return failure(
        fmt::format("{}: {}", printable(path),
                    error == ENOENT || error == ECONNREFUSED ? "no attack with that -control is running" : std::strerror(error)));
  const std::string sent = std::string(line) + '\n';
  if (::send(fd.get(), sent.data(), sent.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(sent.size()))
    return failure(fmt::format("{}: the attack has just ended", printable(path)));
  std::string answer;
  while (!answer.ends_with('\n') && answer.size() < 2 * ControlSocket::kLongestLine) {
    pollfd readable{fd.get(), POLLIN, 0};
    if (::poll(&readable, 1, kPatience) == 0) return failure(fmt::format("{}: no answer within 10s", printable(path)));
    char bytes[1024];
    const ssize_t n = ::recv(fd.get(), bytes, sizeof bytes, 0);
    if (n <= 0) return failure(fmt::format("{}: the attack has just ended", printable(path)));
    answer.append(bytes, static_cast<std::size_t>(n));
  }
  return answer;
}

}  // namespace thrum::ui
