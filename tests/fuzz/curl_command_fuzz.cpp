// Any text as a curl command, in either shell's quoting: a request that can be sent, or one line that says why not.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "http/request.hpp"
#include "targets/curl_asked.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace thrum;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const targets::Shell shell : {targets::Shell::posix, targets::Shell::cmd, targets::guess_shell(text)}) {
    const auto command = targets::read_curl_text(text, shell, targets::CurlFiles(targets::CurlFiles::May::nothing));
    if (!command) {
      const std::string& error = command.error().text;
      if (error.empty() || printable(error) != error) std::abort();
      continue;
    }
    for (const std::string& note : command->notes)
      if (note.empty() || printable(note) != note) std::abort();
    if (!http::prepare(command->target, {})) std::abort();
  }
  return 0;
}
