#include "net/hosts_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/text.hpp"

namespace thrum::net {
namespace {

// The next word of `line`, which loses it; empty at the end.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r\v\f"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t\r\v\f", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

}  // namespace

HostsFile HostsFile::load(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return parse(std::string(std::istreambuf_iterator<char>(in), {}));
}

HostsFile HostsFile::parse(std::string_view text) {
  HostsFile file;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const auto address = parse_address(take_word(line));
    if (!address) continue;
    for (std::string_view name = take_word(line); !name.empty(); name = take_word(line)) {
      if (name.ends_with('.')) name.remove_suffix(1);
      if (name.empty()) continue;
      auto& known = file.names_[lower(name)];
      if (std::ranges::find(known, *address) == known.end()) known.push_back(*address);
    }
  }
  return file;
}

const std::vector<Address>* HostsFile::find(const std::string& name) const {
  const auto at = names_.find(name);
  return at == names_.end() ? nullptr : &at->second;
}

}  // namespace thrum::net
