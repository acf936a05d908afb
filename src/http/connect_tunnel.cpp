#include "http/connect_tunnel.hpp"

#include "http/response_parser.hpp"

namespace thrum::http {
namespace {

class ConnectTunnel final : public net::Tunnel {
 public:
  ConnectTunnel(const std::string& authority, const std::string& lines)
      : request_("CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n" + lines + "\r\n") {
    // As to HEAD, no body follows an answer that opens the tunnel, whatever its headers say; a refusal's body is of no use.
    parser_.reset(true);
  }

  Step begin() override { return {State::talking, request_}; }

  Step received(std::span<const char> bytes) override {
    using net::Fault;
    const std::size_t used = parser_.feed(bytes);
    if (parser_.state() == ResponseParser::State::failed) return Step::refused(Fault::other(Fault::Phase::proxy, Fault::kNoProxyAnswer));
    if (parser_.state() != ResponseParser::State::done) return {State::talking, {}, used};
    const int status = parser_.status();
    if (status < 200 || status > 299) return Step::refused({Fault::Phase::proxy, Fault::Source::answer, status});
    return {State::open, {}, used};
  }

 private:
  const std::string request_;
  ResponseParser parser_;
};

}  // namespace

std::unique_ptr<net::Tunnel> make_connect_tunnel(const std::string& authority, const std::string& lines) {
  return std::make_unique<ConnectTunnel>(authority, lines);
}

}  // namespace thrum::http
