// Why a connection did not come up, or went down: a value that costs nothing until it is shown.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>

namespace thrum::net {

// Where to connect to, and as whom to speak.
struct Endpoint {
  std::string host;  // a name or an IP literal, without brackets; a zone (fe80::1%lo) is allowed
  std::uint16_t port = 0;
  bool tls = false;
  std::string server_name = {};  // for SNI and verification; empty: `host`. No SNI is sent for IP literals
};

struct Way;

struct Fault {
  enum class Phase : std::uint8_t { none, dns, connect, tls, proxy, send, receive, client } phase = Phase::none;
  enum class Source : std::uint8_t { os, resolver, tls_library, certificate, socks, answer, other } source = Source::os;
  std::int64_t code = 0;    // errno; the resolver's status; the TLS library's packed error; the certificate's verify code; see below
  bool at_proxy = false;    // on the way to the link's proxy, not through it
  std::uint16_t place = 0;  // which of several places of the link's way it was on its way to
  bool operator==(const Fault&) const = default;

  // Source::socks: see socks.hpp. Source::answer: the status that a proxy answered with.
  // Codes of Source::other.
  // The stream ended without TLS's close_notify: what only the end delimits may have been cut short (RFC 8446 section 6.1).
  static constexpr std::int64_t kTruncated = 1;
  static constexpr std::int64_t kHandshakeEnded = 2;             // the peer closed during the handshake
  static constexpr std::int64_t kTlsSetup = 3;                   // our own certificates or roots can't be used: TlsClient::load() says why
  static constexpr std::int64_t kProxyEnded = 6;                 // the proxy closed before it let us through
  static constexpr std::int64_t kNoProxyAnswer = 7;              // bytes that are no answer of a proxy of its kind
  static constexpr std::int64_t kOutOfBounds = 8;                // none of the host's addresses may be connected to
  static constexpr std::int64_t kNoLocalV4 = 4, kNoLocalV6 = 5;  // none of the addresses to send from is of the target's family

  static Fault os(Phase phase, int error) { return {phase, Source::os, error}; }
  static Fault other(Phase phase, std::int64_t code) { return {phase, Source::other, code}; }
};

// Whether an errno that a socket ended with is the sending's: the peer had stopped reading, or a mapped body file is no longer
// as long as it was.
constexpr bool is_of_sending(int error) { return error == EPIPE || error == EFAULT; }

// "connect: connection refused", "dns: no such host: nowhere.test", "tls: certificate signed by unknown authority (…; see
// -root-certs)". Never a local port. `endpoint` names the host where that helps; `way`: how its link went there, null: straight.
std::string describe(const Fault& fault, const Endpoint& endpoint, const Way* way = nullptr);

}  // namespace thrum::net
