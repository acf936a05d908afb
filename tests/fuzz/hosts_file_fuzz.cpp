// Any text as a hosts file: what it names is found again, and addresses are written as they are read.
#include <cstdint>
#include <string>
#include <string_view>

#include "net/hosts_file.hpp"
#include "require.hpp"

using thrum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto address = thrum::net::parse_address(text))
    require(thrum::net::parse_address(thrum::net::format_address(*address)) == address);
  const auto file = thrum::net::HostsFile::parse(text);
  for (const std::string name : {"localhost", "a", "host.test", ""}) {
    const auto* found = file.find(name);
    require(found == nullptr || !found->empty());
    require(!name.empty() || found == nullptr);
  }
  return 0;
}
