// The addresses of this machine that connections leave from, in turn. One object per thread; threads begin at different ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "net/address.hpp"
#include "thrum/error.hpp"

namespace thrum::net {

// Of "IP", "IP-IP" and "IP/PREFIX", each one of this machine's own: an error says which is not. Nothing but 0.0.0.0 or :: means
// that the kernel chooses, and gives an empty list.
Expected<std::vector<Address>> parse_local_addresses(std::span<const std::string> texts);

// Whether it leads back to this machine: loopback, or an address that one of its interfaces has now.
bool is_of_this_machine(const Address& a);

class LocalAddresses {
 public:
  LocalAddresses(const std::vector<Address>& list, std::uint32_t first_turn);

  bool is_empty() const { return v4_.empty() && v6_.empty(); }
  std::size_t count(bool is_v6) const { return (is_v6 ? v6_ : v4_).size(); }
  // Where the next connection of this family leaves from; only while there is one.
  const Address& next(bool is_v6);

 private:
  std::vector<Address> v4_, v6_;
  std::uint32_t turn_v4_, turn_v6_;
};

}  // namespace thrum::net
