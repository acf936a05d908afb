// A name server of a few dozen lines on loopback, on the loop of the test: answers, refuses, lies or keeps silent per name.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <map>
#include <string>
#include <vector>

#include "peers.hpp"

namespace thrum::net {

struct DnsServer : WatchHandler {
  struct Zone {
    std::vector<Address> addresses;
    int rcode = 0;              // 2: SERVFAIL, 3: NXDOMAIN, 5: REFUSED
    bool is_silent = false;     // never answers
    bool is_held = false;       // answers when release() is called
    bool is_truncated = false;  // by UDP; whole by TCP
    std::string garbage = {};   // these bytes after the query's id
  };

  explicit DnsServer(OwnNetwork& own) : reactor(own.network().reactor) {
    // One port for both protocols.
    for (int tries = 0; tries < 100 && !udp.is_open(); ++tries) {
      auto listening = listen_on(Address::v4(INADDR_LOOPBACK), 0);
      port = local_port(listening->get());
      udp = Fd(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      sockaddr_storage at;
      const socklen_t size = fill_sockaddr(Address::v4(INADDR_LOOPBACK), port, at);
      if (::bind(udp.get(), reinterpret_cast<sockaddr*>(&at), size) != 0) udp.reset();
      if (udp.is_open()) tcp.emplace(*this, std::move(*listening));
    }
    EXPECT_TRUE(udp.is_open());
    reactor.watch(udp.get(), *this, true, false);
  }
  ~DnsServer() override { reactor.watch(udp.get(), *this, false, false); }
  DnsServer(const DnsServer&) = delete;
  DnsServer& operator=(const DnsServer&) = delete;

  ResolverOptions options() const {
    ResolverOptions o;
    o.servers = {"127.0.0.1:" + std::to_string(port)};
    o.resolv_conf = "/nonexistent";
    o.hosts_file = "/nonexistent";
    return o;
  }

  void on_ready(int, bool, bool) override {
    char query[1500];
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    ssize_t n;
    while ((n = ::recvfrom(udp.get(), query, sizeof query, 0, reinterpret_cast<sockaddr*>(&from), &size)) > 12) {
      const std::string text(query, static_cast<std::size_t>(n));
      const std::string name = name_of(text);
      asked.push_back(name);
      const Zone& zone = zones[name];
      if (zone.is_silent) continue;
      if (zone.is_held) {
        held.emplace_back(text, from);
        continue;
      }
      answer(text, from);
    }
  }
  void release() {
    for (const auto& [query, from] : held) answer(query, from);
    held.clear();
  }
  void answer(const std::string& query, const sockaddr_storage& to) {
    const std::string reply = reply_to(query, true);
    EXPECT_EQ(::sendto(udp.get(), reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof(sockaddr_in)),
              static_cast<ssize_t>(reply.size()));
  }

  static std::string name_of(const std::string& query) {
    std::string name;
    for (std::size_t i = 12; i < query.size() && query[i] != 0;) {
      const auto length = static_cast<std::size_t>(query[i]);
      name += (name.empty() ? "" : ".") + query.substr(i + 1, length);
      i += length + 1;
    }
    return name;
  }
  std::string reply_to(const std::string& query, bool is_udp) {
    const Zone& zone = zones[name_of(query)];
    if (!zone.garbage.empty()) return query.substr(0, 2) + zone.garbage;
    const std::size_t end = query.find('\0', 12) + 5;  // after the question
    const bool wants_v6 = static_cast<unsigned char>(query[end - 3]) == 28;
    const bool cut = zone.is_truncated && is_udp;
    std::string reply = query.substr(0, end);
    reply[2] = static_cast<char>(0x81 | (cut ? 0x02 : 0));
    reply[3] = static_cast<char>(0x80 | zone.rcode);
    reply.replace(6, 6, 6, '\0');
    if (cut || zone.rcode != 0) return reply;
    for (const Address& a : zone.addresses) {
      if (a.is_v6 != wants_v6) continue;
      ++reply[7];
      const std::size_t size = a.is_v6 ? 16 : 4;
      reply += std::string("\xc0\x0c\x00", 3) + static_cast<char>(a.is_v6 ? 28 : 1) + std::string("\x00\x01\x00\x00\x00\x3c\x00", 7) +
               static_cast<char>(size);
      reply.append(reinterpret_cast<const char*>(a.bytes.data()), size);
    }
    return reply;
  }

  struct Tcp : ListenHandler {
    struct Peer : SocketHandler {
      void on_connected(int) override {}
      void on_received(std::span<char> b) override {
        bytes.append(b.begin(), b.end());
        while (bytes.size() >= 2) {
          const std::size_t size = static_cast<unsigned char>(bytes[0]) * 256u + static_cast<unsigned char>(bytes[1]);
          if (bytes.size() < 2 + size) return;
          const std::string reply = all->reply_to(bytes.substr(2, size), false);
          bytes.erase(0, 2 + size);
          const std::string framed = std::string{static_cast<char>(reply.size() / 256), static_cast<char>(reply.size() % 256)} + reply;
          EXPECT_EQ(all->reactor.send(id, span_of(framed)).state, SendOutcome::State::done);
        }
      }
      void on_skipped(std::size_t) override {}
      void on_sent() override {}
      void on_end(int) override { all->reactor.close(id); }
      DnsServer* all = nullptr;
      SocketId id;
      std::string bytes;
    };
    Tcp(DnsServer& dns, Fd socket) : all(dns), id(dns.reactor.listen(std::move(socket), *this)) {}
    ~Tcp() override {
      all.reactor.close(id);
      for (const Peer& p : peers) all.reactor.close(p.id);
    }
    Tcp(const Tcp&) = delete;
    Tcp& operator=(const Tcp&) = delete;
    void on_accepted(Fd socket) override {
      Peer& p = peers.emplace_back();
      p.all = &all;
      p.id = all.reactor.adopt(std::move(socket), p, false);
    }
    void on_accept_error(int) override {}
    DnsServer& all;
    SocketId id;
    std::deque<Peer> peers;
  };

  Reactor& reactor;
  Fd udp;
  std::uint16_t port = 0;
  std::map<std::string, Zone> zones;
  std::vector<std::string> asked;  // one entry per datagram
  std::vector<std::pair<std::string, sockaddr_storage>> held;
  std::optional<Tcp> tcp;
};

}  // namespace thrum::net
