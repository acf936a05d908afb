#include "net/fault.hpp"

#include <ares.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/text.hpp"
#include "net/socks.hpp"
#include "net/way.hpp"

namespace thrum::net {
namespace {

// "connection refused": the C library's words in lower case, but for abbreviations.
std::string os_words(std::int64_t code) {
  if (code == EFAULT) return "the body file was cut short while it was sent";
  const char* words = strerrordesc_np(static_cast<int>(code));
  if (words == nullptr) return "error " + std::to_string(code);
  std::string text = words;
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0)
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string client_words(std::int64_t code) {
  switch (code) {
    case EMFILE:
      return "too many open files in this process (its limit: ulimit -n)";
    case ENFILE:
      return "too many open files on this machine (fs.file-max)";
    case EADDRNOTAVAIL:
      return "no local port left for this address (net.ipv4.ip_local_port_range; keep connections alive, or use fewer)";
    default:
      return os_words(code);
  }
}

std::string resolver_words(std::int64_t status, const std::string& name) {
  switch (status) {
    case ARES_ENOTFOUND:
    case ARES_ENONAME:
      return "no such host: " + name;
    case ARES_ENODATA:
      return "no address for host: " + name;
    case ARES_ETIMEOUT:
      return "timed out looking up " + name;
    case ARES_ESERVFAIL:
      return "server failure looking up " + name;
    case ARES_EREFUSED:
      return "server refused to look up " + name;
    case ARES_ECONNREFUSED:
      return "no name server answers, looking up " + name;
    case ARES_EBADNAME:
      return "not a host name: " + name;
    case ARES_EBADRESP:
    case ARES_EFORMERR:
      return "malformed answer looking up " + name;
    default:
      return std::string(ares_strerror(static_cast<int>(status))) + ", looking up " + name;
  }
}

std::string_view phase_word(Fault::Phase phase) {
  switch (phase) {
    case Fault::Phase::none:
      return "";
    case Fault::Phase::dns:
      return "dns: ";
    case Fault::Phase::connect:
      return "connect: ";
    case Fault::Phase::tls:
      return "tls: ";
    case Fault::Phase::proxy:
      return "proxy: ";
    case Fault::Phase::send:
      return "send: ";
    case Fault::Phase::receive:
      return "receive: ";
    case Fault::Phase::client:
      return "client: ";
  }
  return "";
}

constexpr std::string_view kCure = "; trust it with -root-certs FILE or skip checks with -insecure";

std::string certificate_words(std::int64_t code, const std::string& host) {
  const std::string reason = X509_verify_cert_error_string(code);
  switch (code) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "certificate signed by unknown authority (x509: " + reason + ")" + std::string(kCure);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return "certificate has expired (x509); skip checks with -insecure";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return "certificate is not yet valid (x509); is the clock right? Skip checks with -insecure";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return "certificate is not valid for " + host + " (x509: " + reason + "); skip checks with -insecure";
    default:
      return "certificate refused (x509: " + reason + ")" + std::string(kCure);
  }
}

// Alerts (RFC 8446 section 6) are what the other side says went wrong.
std::string tls_library_words(std::int64_t code) {
  const auto packed = static_cast<unsigned long>(code);
  const int reason = ERR_GET_REASON(packed);
  if (ERR_GET_LIB(packed) == ERR_LIB_SSL) {
    if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST)
      return "the answer is not TLS (does the server speak plain http on this port?)";
    if (reason == SSL_R_UNSUPPORTED_PROTOCOL) return "the server offers no TLS version that is supported (1.2 and 1.3 are)";
    if (reason >= SSL_AD_REASON_OFFSET) {
      const int alert = reason - SSL_AD_REASON_OFFSET;
      if (alert == SSL_AD_CERTIFICATE_REQUIRED) return "remote error: certificate required (give one with -cert)";
      const std::string_view words = SSL_alert_desc_string_long(alert);
      if (words != "unknown") return "remote error: " + std::string(words);
    }
  }
  const char* words = ERR_reason_error_string(packed);
  return words == nullptr ? "error " + std::to_string(packed) : words;
}

std::string other_words(std::int64_t code) {
  switch (code) {
    case Fault::kTruncated:
      return "connection closed without TLS close_notify";
    case Fault::kProxyEnded:
      return "connection closed before the proxy let it through";
    case Fault::kOutOfBounds:
      return "its address is outside of -allow-net";
    case Fault::kNoProxyAnswer:
      return "the answer is not one of an HTTP proxy";
    case Fault::kHandshakeEnded:
      return "connection closed during the handshake";
    case Fault::kNoLocalV4:
    case Fault::kNoLocalV6:
      return code == Fault::kNoLocalV4 ? "no IPv4 address to send from among those of -laddr"
                                       : "no IPv6 address to send from among those of -laddr";
    default:
      return "this machine's certificates can't be used";
  }
}

std::string connect_words(const Fault& fault, const Way* way) {
  std::string words = os_words(fault.code);
  if (way == nullptr || way->unix_path.empty()) return words;
  if (fault.code == ECONNREFUSED) words += ", nobody listens on this socket";
  return words + ": " + printable(way->unix_path);
}

// The name that was looked up. A proxy's tunnel may need the address of the endpoint itself.
const std::string& host_of(const Fault& fault, const Endpoint& endpoint, const Way* way) {
  const bool is_own = way == nullptr || way->places.empty() || (way->is_proxied && !fault.at_proxy);
  return is_own ? endpoint.host : way->places[fault.place % way->places.size()].host;
}

// Whose certificate was refused.
const std::string& peer_of(const Fault& fault, const Endpoint& endpoint, const Way* way) {
  if (fault.at_proxy) return host_of(fault, endpoint, way);
  return endpoint.server_name.empty() ? endpoint.host : endpoint.server_name;
}

}  // namespace

std::string describe(const Fault& fault, const Endpoint& endpoint, const Way* way) {
  if (fault.phase == Fault::Phase::none) return "connection closed";
  std::string prefix(phase_word(fault.phase));
  if (fault.at_proxy && fault.phase != Fault::Phase::proxy && fault.phase != Fault::Phase::client) prefix.insert(0, "proxy: ");
  switch (fault.source) {
    case Fault::Source::os:
      if (fault.phase == Fault::Phase::client) return prefix + client_words(fault.code);
      return prefix + (fault.phase == Fault::Phase::connect ? connect_words(fault, way) : os_words(fault.code));
    case Fault::Source::resolver:
      return prefix + resolver_words(fault.code, printable(host_of(fault, endpoint, way)));
    case Fault::Source::tls_library:
      return prefix + tls_library_words(fault.code);
    case Fault::Source::certificate:
      return prefix + certificate_words(fault.code, printable(peer_of(fault, endpoint, way)));
    case Fault::Source::socks:
      return prefix + std::string(describe_socks(fault.code));
    case Fault::Source::answer:
      return prefix + "answered with status " + std::to_string(fault.code);
    case Fault::Source::other:
      return prefix + other_words(fault.code);
  }
  return prefix;
}

}  // namespace thrum::net
