// Names to addresses, on the reactor of one thread: IP literals, `localhost` (RFC 6761 section 6.3), the hosts file, then DNS
// by c-ares. The first three need no network and answer at once. DNS starts when the first name needs it.
//
// Of several addresses each connection gets the next one first (round robin), with IPv6 and IPv4 taking turns in the list and
// IPv6 in front, unless the last connection to that name came up on the other (RFC 8305 section 4). Lookups of one name that
// overlap share one query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "net/address.hpp"
#include "net/fault.hpp"
#include "net/hosts_file.hpp"
#include "net/reactor.hpp"
#include "net/timers.hpp"

namespace thrum::net {

struct ResolverOptions {
  Nanos ttl{0};                      // how long an answer serves; 0: for ever (the whole attack); < 0: never again
  std::vector<std::string> servers;  // "IP", "IP:port", "[IPv6]:port"; empty: those of resolv_conf
  std::string resolv_conf = "/etc/resolv.conf";
  std::string hosts_file = "/etc/hosts";
  Nanos timeout{2'000'000'000};  // of the first try; each further one waits twice as long
  int tries = 3;                 // per server
  std::uint32_t first_turn = 0;  // with which of several addresses to begin: another one in each thread
};

class Resolver {
 public:
  // The addresses in the order in which to try them; or none, and why.
  struct Answer {
    std::vector<Address> addresses;
    Fault fault;
  };

  // Somebody who waits for an answer. Destroying it, or leave(), ends the waiting; the query goes on for others to come.
  class Lookup {
   public:
    Lookup() = default;
    Lookup(const Lookup&) = delete;
    Lookup& operator=(const Lookup&) = delete;
    virtual ~Lookup() { leave(); }
    void leave();

   protected:
    virtual void on_lookup(Answer answer) = 0;

   private:
    friend class Resolver;
    std::vector<Lookup*>* list_ = nullptr;  // where it waits, if it does
    std::size_t place_ = 0;
  };

  Resolver(Reactor& reactor, Timers& timers, ResolverOptions options);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Wrong servers are told here, before an attack; a Resolver that has them fails every lookup.
  static Expected<void> check(const ResolverOptions& options);

  // The answer if it is known already; otherwise `waiting` hears of it later, never from within this call.
  std::optional<Answer> lookup(std::string_view host, Lookup& waiting);
  // A connection to `host` came up on this address.
  void worked(std::string_view host, const Address& address);

 private:
  class Dns;  // c-ares
  struct Name {
    std::string text;  // lower case, without a final dot
    std::vector<Address> v6, v4;
    Fault fault;
    Instant fresh_until = Instant::min();
    std::uint32_t turn = 0;
    bool prefers_v4 = false;
    bool is_asked = false;  // a query is out, or its answer is still to be handed out
    std::vector<Lookup*> waiting;
  };

  Name& name_of(std::string_view host);
  bool fill_from_files(Name& name);
  void ask(Name& name);
  void answered(Name& name, const Fault& fault, std::vector<Address> addresses);
  void tell();
  static Answer answer_from(Name& name);

  Reactor& reactor_;
  Timers& timers_;
  ResolverOptions options_;
  std::optional<HostsFile> hosts_;
  std::unordered_map<std::string, std::unique_ptr<Name>> names_;
  std::vector<Name*> answered_;  // whose answers are to be handed out
  Timer tell_;                   // c-ares may answer from within a question: nobody is told there
  std::unique_ptr<Dns> dns_;
};

}  // namespace thrum::net
