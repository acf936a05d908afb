// Any bytes as a name server's answer, behind the id and the question that make it an answer to ours: whoever waits is told once,
// of addresses or of why there are none. What the bytes mean is read by c-ares; what is made of it is ours.
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>

#include "net/network.hpp"
#include "require.hpp"

using thrum::fuzz::require;

namespace {

using namespace thrum::net;

struct Waiting final : Resolver::Lookup {
  void on_lookup(Resolver::Answer answer) override {
    ++told;
    require(answer.addresses.empty() == (answer.fault.phase != Fault::Phase::none));
    require(answer.addresses.size() <= 512);
    require(!answer.addresses.empty() || !describe(answer.fault, {"name.test", 80}).empty());
  }
  int told = 0;
};

// Answers each query that has come with its id and question and these bytes.
struct Server final : WatchHandler {
  explicit Server(OwnNetwork& own) : reactor(own.network().reactor) {}
  void on_ready(int fd, bool, bool) override {
    std::array<char, 1500> query;
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const ssize_t n = ::recvfrom(fd, query.data(), query.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (n < 12) return;
    // Flags and counts come from the data, the question is the one that was asked.
    std::string answer(query.data(), 2);
    answer += bytes.substr(0, std::min<std::size_t>(bytes.size(), 10));
    answer.resize(12, '\0');
    answer.append(query.data() + 12, static_cast<std::size_t>(n) - 12);
    if (bytes.size() > 10) answer += bytes.substr(10);
    if (answer.size() <= 60'000) ::sendto(fd, answer.data(), answer.size(), 0, reinterpret_cast<const sockaddr*>(&from), size);
  }
  Reactor& reactor;
  std::string bytes;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const thrum::Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_storage at;
  socklen_t length = fill_sockaddr(Address::v4(INADDR_LOOPBACK), 0, at);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&at), length) != 0) return 0;
  require(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&at), &length) == 0);
  NetworkOptions options;
  options.dns.servers = {"127.0.0.1:" + std::to_string(ntohs(reinterpret_cast<const sockaddr_in&>(at).sin_port))};
  options.dns.resolv_conf = options.dns.hosts_file = "/nonexistent";
  options.dns.tries = 1;
  options.dns.timeout = thrum::Nanos(5'000'000);
  const auto own = OwnNetwork::create(std::move(options));
  require(own.has_value());
  Server server(**own);
  server.bytes.assign(reinterpret_cast<const char*>(data), size);
  server.reactor.watch(socket.get(), server, true, false);
  {
    Waiting waiting;
    require(!(*own)->network().resolver.lookup("name.test", waiting));
    for (int turns = 0; waiting.told == 0 && turns < 1000; ++turns) (*own)->turn(thrum::now() + std::chrono::milliseconds(20));
    require(waiting.told == 1);
  }
  server.reactor.watch(socket.get(), server, false, false);
  return 0;
}
