#include "net/socks.hpp"

#include <algorithm>
#include <array>

namespace thrum::net {
namespace {

constexpr char kVersion = 5, kLoginVersion = 1;
constexpr char kNoLogin = 0, kPassword = 2;
constexpr char kConnect = 1;
constexpr char kV4 = 1, kName = 3, kV6 = 4;
constexpr std::size_t kLongestReply = 4 + 1 + 255 + 2;

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

Fault fault(std::int64_t code) { return {Fault::Phase::proxy, Fault::Source::socks, code}; }

class SocksTunnel final : public Tunnel {
 public:
  SocksTunnel(const Endpoint& to, const Address* address, std::optional<SocksLogin> login)
      : to_(to), address_(address == nullptr ? std::optional<Address>() : *address), login_(std::move(login)) {}

  Step begin() override {
    if (!address_ && to_.host.size() > kLongestSocksText) return Step::refused(fault(kSocksNameTooLong));
    said_ = login_ ? std::string{kVersion, 2, kNoLogin, kPassword} : std::string{kVersion, 1, kNoLogin};
    return {State::talking, said_};
  }

  Step received(std::span<const char> bytes) override {
    std::size_t used = 0;
    while (used < bytes.size()) {
      const std::size_t wanted = needed();
      const std::size_t more = std::min(wanted - size_, bytes.size() - used);
      std::copy_n(bytes.data() + used, more, reply_.data() + size_);
      size_ += more;
      used += more;
      // The reply to a request says on its way how long it is.
      if (size_ < needed()) continue;
      Step step = answered();
      step.used = used;
      size_ = 0;
      if (step.state != State::talking || !step.say.empty()) return step;
    }
    return {State::talking, {}, used};
  }

 private:
  enum class Stage : std::uint8_t { method, login, request };

  // Bytes of the reply at hand, as far as it is known.
  std::size_t needed() const {
    if (stage_ != Stage::request) return 2;
    if (size_ < 5) return 5;
    if (reply_[3] == kV4) return 4 + 4 + 2;
    if (reply_[3] == kV6) return 4 + 16 + 2;
    if (reply_[3] == kName) return 4 + 1 + std::size_t{byte(reply_[4])} + 2;
    return 5;
  }

  Step answered() {
    switch (stage_) {
      case Stage::method:
        if (reply_[0] != kVersion) return Step::refused(fault(kSocksMalformed));
        if (reply_[1] == kNoLogin) return ask();
        if (reply_[1] == kPassword && login_) return log_in();
        return Step::refused(fault(kSocksNoMethod));
      case Stage::login:
        if (reply_[0] != kLoginVersion) return Step::refused(fault(kSocksMalformed));
        return reply_[1] == 0 ? ask() : Step::refused(fault(kSocksNotLoggedIn));
      case Stage::request:
        break;
    }
    const bool is_known = reply_[3] == kV4 || reply_[3] == kV6 || reply_[3] == kName;
    if (reply_[0] != kVersion) return Step::refused(fault(kSocksMalformed));
    if (reply_[1] != 0) return Step::refused(fault(byte(reply_[1])));
    return is_known ? Step{State::open} : Step::refused(fault(kSocksMalformed));
  }

  Step log_in() {
    stage_ = Stage::login;
    said_ = {kLoginVersion};
    add_text(login_->user);
    add_text(login_->password);
    return {State::talking, said_};
  }

  Step ask() {
    stage_ = Stage::request;
    said_ = {kVersion, kConnect, 0};
    if (address_) {
      said_ += address_->is_v6 ? kV6 : kV4;
      said_.append(reinterpret_cast<const char*>(address_->bytes.data()), address_->is_v6 ? 16 : 4);
    } else {
      said_ += kName;
      add_text(to_.host);
    }
    said_ += {static_cast<char>(to_.port >> 8), static_cast<char>(to_.port & 0xff)};
    return {State::talking, said_};
  }

  void add_text(std::string_view text) { (said_ += static_cast<char>(text.size())) += text; }

  const Endpoint to_;
  const std::optional<Address> address_;
  const std::optional<SocksLogin> login_;
  Stage stage_ = Stage::method;
  std::string said_;
  std::array<char, kLongestReply> reply_{};
  std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<Tunnel> make_socks_tunnel(const Endpoint& to, const Address* address, const std::optional<SocksLogin>& login) {
  return std::make_unique<SocksTunnel>(to, address, login);
}

std::string_view describe_socks(std::int64_t code) {
  switch (code) {
    case 1:
      return "general failure of the SOCKS server";
    case 2:
      return "not allowed by the SOCKS server's rules";
    case 3:
      return "network is unreachable for the SOCKS server";
    case 4:
      return "host is unreachable for the SOCKS server";
    case 5:
      return "the target refused the SOCKS server's connection";
    case 6:
      return "the SOCKS server's connection to the target timed out";
    case 7:
      return "the SOCKS server doesn't know the command";
    case 8:
      return "the SOCKS server doesn't know the type of address";
    case kSocksNoMethod:
      return "the SOCKS server wants a user and a password, or another way to log in";
    case kSocksNotLoggedIn:
      return "the SOCKS server refused user and password";
    case kSocksNameTooLong:
      return "the target's name is longer than the 255 bytes that SOCKS has room for";
    default:
      return "the answer is not SOCKS 5";
  }
}

}  // namespace thrum::net
