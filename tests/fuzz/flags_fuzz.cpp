// The command line, one argument a line: an invocation, or one printable line that says what is wrong.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "cli/parse.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string_view> args;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    args.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  const auto invocation = thrum::cli::parse(args);
  if (invocation) return 0;
  const std::string& words = invocation.error().error.text;
  const bool is_control = std::any_of(words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (words.empty() || is_control) std::abort();
  return 0;
}
