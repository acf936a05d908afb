#include "net/resolver.hpp"

#include <ares.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.hpp"

namespace thrum::net {
namespace {

constexpr auto kFailureServes = std::chrono::milliseconds(100);  // so that a dead name at 50,000/s is not 50,000 queries/s
constexpr std::size_t kMaxNames = 100'000;
constexpr std::size_t kMaxAddresses = 256;  // of one name and family
constexpr std::size_t kMaxNameBytes = 253;  // RFC 1035 section 2.3.4, as text

Fault fault_of(int status) { return {Fault::Phase::dns, Fault::Source::resolver, status}; }

// Refuses what could not be a name, above all what C strings or the DNS library would read in another way than we do.
bool is_possible_name(std::string_view s) {
  if (s.empty() || s.size() > kMaxNameBytes || s.front() == '.' || s.find("..") != s.npos) return false;
  if (s.find_first_not_of("0123456789.") == s.npos) return false;  // "127.1": neither an address nor a name
  return std::ranges::none_of(s, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == '\\' || c == '%'; });
}

bool is_localhost(std::string_view s) { return s == "localhost" || s.ends_with(".localhost"); }

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const auto& s : list) out += (out.empty() ? "" : ",") + s;
  return out;
}

void append_unique(std::vector<Address>& list, const Address& a) {
  if (list.size() < kMaxAddresses && std::ranges::find(list, a) == list.end()) list.push_back(a);
}

}  // namespace

// The channel to the name servers. Its sockets are made here, so that they are close-on-exec, never raise SIGPIPE, and so that
// a want of descriptors is told from a silent server.
class Resolver::Dns final : WatchHandler {
 public:
  Dns(Resolver& resolver) : resolver_(resolver), timer_(resolver.timers_, [this] { process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); }) {
    ares_options o{};
    std::string resolv_conf = resolver.options_.resolv_conf;
    std::array<char, 2> lookups{'b', '\0'};  // DNS only: files are read by us
    o.timeout = static_cast<int>(resolver.options_.timeout.count() / 1'000'000);
    o.tries = resolver.options_.tries;
    o.lookups = lookups.data();
    o.resolvconf_path = resolv_conf.data();
    o.sock_state_cb = [](void* self, ares_socket_t fd, int readable, int writable) {
      auto& dns = *static_cast<Dns*>(self);
      dns.resolver_.reactor_.watch(fd, dns, readable != 0, writable != 0);
    };
    o.sock_state_cb_data = this;
    const int mask = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF | ARES_OPT_SOCK_STATE_CB;
    status_ = ares_init_options(&channel_, &o, mask);
    if (status_ != ARES_SUCCESS) return;
    if (!resolver.options_.servers.empty()) status_ = ares_set_servers_ports_csv(channel_, joined(resolver.options_.servers).c_str());
    static const ares_socket_functions functions = {open, close, connect, receive, send};
    ares_set_socket_functions(channel_, &functions, this);
  }

  ~Dns() {
    is_ending_ = true;
    if (channel_ != nullptr) ares_destroy(channel_);
  }

  void ask(Name& name) {
    if (status_ != ARES_SUCCESS) return resolver_.answered(name, fault_of(status_), {});
    ares_addrinfo_hints hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = ARES_AI_NOSORT;  // sorting would probe with sockets of its own; order() decides
    auto question = std::make_unique<Question>(*this, name);
    ares_getaddrinfo(channel_, name.text.c_str(), nullptr, &hints, on_answer, question.release());
    rearm();
  }

 private:
  struct Question {
    Dns& dns;
    Name& name;
  };

  static void on_answer(void* argument, int status, int, ares_addrinfo* info) {
    const std::unique_ptr<Question> question(static_cast<Question*>(argument));
    const std::unique_ptr<ares_addrinfo, decltype(&ares_freeaddrinfo)> owned(info, ares_freeaddrinfo);
    Dns& dns = question->dns;
    if (dns.is_ending_) return;
    std::vector<Address> addresses;
    for (const auto* node = info == nullptr ? nullptr : info->nodes; node != nullptr; node = node->ai_next)
      if (const auto a = address_of(node->ai_addr)) addresses.push_back(*a);
    Fault fault = fault_of(status);
    if (status == ARES_SUCCESS && addresses.empty()) fault = fault_of(ARES_ENODATA);
    if (status == ARES_ECONNREFUSED && dns.open_error_ != 0) fault = Fault::os(Fault::Phase::client, dns.open_error_);
    if (!addresses.empty()) fault = {};
    dns.resolver_.answered(question->name, fault, std::move(addresses));
  }

  void on_ready(int fd, bool readable, bool writable) override {
    process(readable ? fd : ARES_SOCKET_BAD, writable ? fd : ARES_SOCKET_BAD);
  }

  void process(ares_socket_t readable, ares_socket_t writable) {
    ares_process_fd(channel_, readable, writable);
    rearm();
    resolver_.tell();
  }

  void rearm() {
    timeval left{};
    if (ares_timeout(channel_, nullptr, &left) == nullptr) return timer_.cancel();
    // It counts in milliseconds: the last of them is slept through, not polled through.
    const Nanos wait = std::chrono::seconds(left.tv_sec) + std::chrono::microseconds(left.tv_usec);
    timer_.set(now() + std::max<Nanos>(wait, std::chrono::milliseconds(1)));
  }

  static ares_socket_t open(int family, int type, int protocol, void* self) {
    const int fd = ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    static_cast<Dns*>(self)->open_error_ = fd < 0 && (errno == EMFILE || errno == ENFILE) ? errno : 0;
    return fd;
  }
  static int close(ares_socket_t fd, void* self) {
    auto& dns = *static_cast<Dns*>(self);
    dns.resolver_.reactor_.watch(fd, dns, false, false);
    return ::close(fd);
  }
  static int connect(ares_socket_t fd, const sockaddr* to, ares_socklen_t size, void*) { return ::connect(fd, to, size); }
  static ares_ssize_t receive(ares_socket_t fd, void* into, std::size_t size, int flags, sockaddr* from, ares_socklen_t* from_size, void*) {
    return ::recvfrom(fd, into, size, flags, from, from_size);
  }
  static ares_ssize_t send(ares_socket_t fd, const iovec* parts, int count, void*) {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = static_cast<std::size_t>(count);
    return ::sendmsg(fd, &message, MSG_NOSIGNAL);
  }

  Resolver& resolver_;
  Timer timer_;
  ares_channel channel_ = nullptr;
  int status_ = ARES_SUCCESS;
  int open_error_ = 0;
  bool is_ending_ = false;
};

// Its place stays empty, so that the others keep their order.
void Resolver::Lookup::leave() {
  if (list_ == nullptr) return;
  (*list_)[place_] = nullptr;
  while (!list_->empty() && list_->back() == nullptr) list_->pop_back();
  list_ = nullptr;
}

Resolver::Resolver(Reactor& reactor, Timers& timers, ResolverOptions options)
    : reactor_(reactor), timers_(timers), options_(std::move(options)), tell_(timers, [this] { tell(); }) {}

Resolver::~Resolver() {
  dns_.reset();
  for (auto& [text, name] : names_)
    for (Lookup* waiting : name->waiting)
      if (waiting != nullptr) waiting->list_ = nullptr;
}

Expected<void> Resolver::check(const ResolverOptions& options) {
  if (options.servers.empty()) return {};
  ares_channel channel = nullptr;
  if (const int status = ares_init(&channel); status != ARES_SUCCESS) return failure(std::string("dns: ") + ares_strerror(status));
  const int status = ares_set_servers_ports_csv(channel, joined(options.servers).c_str());
  ares_destroy(channel);
  if (status == ARES_SUCCESS) return {};
  return usage_error("name servers \"" + printable(joined(options.servers)) +
                     "\" (-resolvers): each must be an IP address, with :port if not 53");
}

std::optional<Resolver::Answer> Resolver::lookup(std::string_view host, Lookup& waiting) {
  waiting.leave();
  if (const auto literal = parse_address(host)) return Answer{{*literal}, {}};
  if (!is_possible_name(host)) return Answer{{}, fault_of(ARES_EBADNAME)};
  Name& name = name_of(host);
  if (!name.is_asked) {
    if (name.fresh_until == kNever || (name.fresh_until != Instant::min() && now() < name.fresh_until)) return answer_from(name);
    ask(name);
  }
  waiting.list_ = &name.waiting;
  waiting.place_ = name.waiting.size();
  name.waiting.push_back(&waiting);
  return std::nullopt;
}

void Resolver::worked(std::string_view host, const Address& address) {
  if (const auto at = names_.find(lower(host)); at != names_.end()) at->second->prefers_v4 = !address.is_v6;
}

Resolver::Name& Resolver::name_of(std::string_view host) {
  std::string key = lower(host);
  if (const auto at = names_.find(key); at != names_.end()) return *at->second;
  if (names_.size() >= kMaxNames) std::erase_if(names_, [](const auto& entry) { return !entry.second->is_asked; });
  auto& made = names_[key];
  made = std::make_unique<Name>();
  made->text = std::move(key);
  made->turn = options_.first_turn;
  if (fill_from_files(*made)) made->fresh_until = kNever;
  return *made;
}

bool Resolver::fill_from_files(Name& name) {
  if (!hosts_) hosts_ = HostsFile::load(options_.hosts_file);
  const std::string key = name.text.ends_with('.') ? name.text.substr(0, name.text.size() - 1) : name.text;
  if (const auto* listed = hosts_->find(key))
    for (const Address& a : *listed) append_unique(a.is_v6 ? name.v6 : name.v4, a);
  if (is_localhost(key)) {
    if (name.v6.empty()) name.v6.push_back(Address::loopback_v6());
    if (name.v4.empty()) name.v4.push_back(Address::v4(INADDR_LOOPBACK));
  }
  return !name.v6.empty() || !name.v4.empty();
}

void Resolver::ask(Name& name) {
  name.is_asked = true;
  if (!dns_) dns_ = std::make_unique<Dns>(*this);
  dns_->ask(name);
}

void Resolver::answered(Name& name, const Fault& fault, std::vector<Address> addresses) {
  name.fault = fault;
  name.v6.clear();
  name.v4.clear();
  for (const Address& a : addresses) append_unique(a.is_v6 ? name.v6 : name.v4, a);
  if (fault.phase != Fault::Phase::none)
    name.fresh_until = now() + kFailureServes;
  else if (options_.ttl.count() == 0)
    name.fresh_until = kNever;
  else
    name.fresh_until = options_.ttl.count() < 0 ? Instant::min() : now() + options_.ttl;
  answered_.push_back(&name);
  tell_.set(now());
}

void Resolver::tell() {
  tell_.cancel();
  while (!answered_.empty()) {
    Name& name = *answered_.back();
    answered_.pop_back();
    std::vector<Lookup*> list;
    list.swap(name.waiting);
    for (Lookup* waiting : list)
      if (waiting != nullptr) waiting->list_ = &list;
    std::vector<Answer> answers(list.size());
    for (Answer& a : answers) a = answer_from(name);
    name.is_asked = false;  // from here on `name` may be asked again, or forgotten
    for (std::size_t i = 0; i < list.size(); ++i) {
      Lookup* next = list[i];
      if (next == nullptr) continue;
      next->list_ = nullptr;
      next->on_lookup(std::move(answers[i]));
    }
  }
}

Resolver::Answer Resolver::answer_from(Name& name) {
  Answer answer{{}, name.fault};
  const std::size_t n6 = name.v6.size(), n4 = name.v4.size();
  answer.addresses.reserve(n6 + n4);
  const std::uint32_t turn = name.turn++;
  const auto take = [&](const std::vector<Address>& from, std::size_t i) {
    if (i < from.size()) answer.addresses.push_back(from[(turn + i) % from.size()]);
  };
  for (std::size_t i = 0; i < std::max(n6, n4); ++i) {
    take(name.prefers_v4 ? name.v4 : name.v6, i);
    take(name.prefers_v4 ? name.v6 : name.v4, i);
  }
  return answer;
}

}  // namespace thrum::net
