// The hosts file: names that need no DNS. Read once per attack, by ourselves: getaddrinfo would block and cannot be linked
// statically.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "net/address.hpp"

namespace thrum::net {

class HostsFile {
 public:
  // A file that is missing or unreadable is an empty one. Lines that make no sense are skipped, as the C library does.
  static HostsFile load(const std::string& path);
  static HostsFile parse(std::string_view text);

  // `name` in lower case, without a final dot; null when the file does not name it.
  const std::vector<Address>* find(const std::string& name) const;

 private:
  std::unordered_map<std::string, std::vector<Address>> names_;
};

}  // namespace thrum::net
