#include "net/fault.hpp"

#include <ares.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/text.hpp"

namespace thrum::net {
namespace {

// "connection refused": the C library's words in lower case, but for abbreviations.
std::string os_words(std::int64_t code) {
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
    case Fault::Phase::send:
      return "send: ";
    case Fault::Phase::receive:
      return "receive: ";
    case Fault::Phase::client:
      return "client: ";
  }
  return "";
}

std::string other_words(std::int64_t code) {
  switch (code) {
    case Fault::kTruncated:
      return "connection closed without TLS close_notify";
    case Fault::kHandshakeEnded:
      return "connection closed during the handshake";
    default:
      return "this machine's certificates can't be used";
  }
}

}  // namespace

std::string describe(const Fault& fault, const Endpoint& endpoint) {
  if (fault.phase == Fault::Phase::none) return "connection closed";
  const std::string prefix(phase_word(fault.phase));
  switch (fault.source) {
    case Fault::Source::os:
      return prefix + (fault.phase == Fault::Phase::client ? client_words(fault.code) : os_words(fault.code));
    case Fault::Source::resolver:
      return prefix + resolver_words(fault.code, printable(endpoint.host));
    default:
      return prefix + other_words(fault.code);
  }
}

}  // namespace thrum::net
