// What a run asks of this machine, as far as it is known before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mode/attack.hpp"
#include "thrum/attacker.hpp"

namespace thrum::http {
struct Url;
}

namespace thrum::mode {

struct Demand {
  double rate = 0;                         // the highest, hits per second; 0: not known
  Nanos duration{0};                       // 0: not known
  std::uint64_t hits = kUnlimited;         //
  std::uint64_t connections = 0;           // open at once, to one address; 0: not known
  bool keep_alive = true;                  //
  std::size_t local_addresses = 1;         //
  bool is_over_tcp = true;                 // false: by a unix socket
  bool is_on_this_machine = false;         // the target
  std::optional<std::uint16_t> port = {};  // of that one
};

// Sets where the target is. Only this machine's own names and addresses are looked at, so that nothing has to be waited for.
void place_target(Demand& demand, const http::Url& url);

// Of an attack; `urls` are those of its first targets, none if they are read in its course.
Demand demand_of(const AttackRequest& request, std::span<const std::string> urls);

}  // namespace thrum::mode
