#include "net/local_addresses.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/fd.hpp"
#include "base/text.hpp"

namespace thrum::net {
namespace {

constexpr std::size_t kMost = 4096;  // 64,000 ports each: more than any machine can hold open

bool is_unspecified(const Address& a) { return a == Address{a.is_v6, {}, a.zone}; }

std::size_t size_of(const Address& a) { return a.is_v6 ? 16 : 4; }

Address next_to(Address a) {
  for (std::size_t i = size_of(a); i-- > 0;)
    if (++a.bytes[i] != 0) break;
  return a;
}

std::unexpected<Error> too_many(std::string_view text) {
  return usage_error("\"" + printable(text) + "\" is more than " + std::to_string(kMost) + " addresses");
}

std::unexpected<Error> not_an_address(std::string_view text) {
  return usage_error("\"" + printable(text) + "\" is not an IP address, nor a range like 10.0.0.1-10.0.0.9 or 10.0.0.0/28");
}

Expected<std::vector<Address>> from_to(std::string_view text, const Address& first, const Address& last) {
  if (first.is_v6 != last.is_v6 || first.zone != last.zone || last.bytes < first.bytes)
    return usage_error("the range \"" + printable(text) + "\" has to go upwards, within IPv4 or IPv6");
  std::vector<Address> list{first};
  while (list.back() != last) {
    if (list.size() == kMost) return too_many(text);
    list.push_back(next_to(list.back()));
  }
  return list;
}

// All hosts of a network; the first and the last address of an IPv4 network are none (RFC 1122 section 3.2.1.3, RFC 3021).
Expected<std::vector<Address>> network(std::string_view text, Address base, std::string_view prefix) {
  const std::size_t width = size_of(base) * 8;
  std::size_t bits = 0;
  const auto [end, error] = std::from_chars(prefix.data(), prefix.data() + prefix.size(), bits);
  if (error != std::errc() || end != prefix.data() + prefix.size() || bits > width) return not_an_address(text);
  if (width - bits > 12) return too_many(text);
  Address last = base;
  for (std::size_t bit = bits; bit < width; ++bit) {
    const auto mask = static_cast<unsigned char>(0x80U >> bit % 8);
    base.bytes[bit / 8] &= static_cast<unsigned char>(~mask);
    last.bytes[bit / 8] |= mask;
  }
  auto list = from_to(text, base, last);
  if (list && !base.is_v6 && list->size() > 2) {
    list->erase(list->begin());
    list->pop_back();
  }
  return list;
}

Expected<std::vector<Address>> parse_one(std::string_view text) {
  if (const auto single = parse_address(text)) return std::vector{*single};
  if (const std::size_t slash = text.find('/'); slash != text.npos) {
    const auto base = parse_address(text.substr(0, slash));
    if (!base) return not_an_address(text);
    return network(text, *base, text.substr(slash + 1));
  }
  // An interface's name may hold a dash, an address never does.
  for (std::size_t dash = text.find('-'); dash != text.npos; dash = text.find('-', dash + 1)) {
    const auto first = parse_address(text.substr(0, dash)), last = parse_address(text.substr(dash + 1));
    if (first && last) return from_to(text, *first, *last);
  }
  return not_an_address(text);
}

// 0, or why no connection can leave from here.
int try_bind(const Address& a) {
  const Fd probe(::socket(a.is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!probe.is_open()) return errno;
  sockaddr_storage at;
  const socklen_t size = fill_sockaddr(a, 0, at);
  return ::bind(probe.get(), reinterpret_cast<sockaddr*>(&at), size) == 0 ? 0 : errno;
}

}  // namespace

Expected<std::vector<Address>> parse_local_addresses(std::span<const std::string> texts) {
  std::vector<Address> all;
  for (const std::string& text : texts) {
    const auto some = parse_one(text);
    if (!some) return some;
    if (all.size() + some->size() > kMost) return too_many(text);
    all.insert(all.end(), some->begin(), some->end());
  }
  if (std::ranges::all_of(all, is_unspecified)) return std::vector<Address>{};
  for (const Address& a : all) {
    const int error = try_bind(a);
    if (error == EADDRNOTAVAIL) return usage_error(format_address(a) + " is not an address of this machine (ip addr shows them)");
    if (error != 0) return failure("can't send from " + format_address(a) + ": " + std::strerror(error));
  }
  return all;
}

bool is_of_this_machine(const Address& a) { return try_bind(a) == 0; }

LocalAddresses::LocalAddresses(const std::vector<Address>& list, std::uint32_t first_turn) : turn_v4_(first_turn), turn_v6_(first_turn) {
  for (const Address& a : list) (a.is_v6 ? v6_ : v4_).push_back(a);
}

const Address& LocalAddresses::next(bool is_v6) {
  const auto& list = is_v6 ? v6_ : v4_;
  return list[(is_v6 ? turn_v6_ : turn_v4_)++ % list.size()];
}

}  // namespace thrum::net
