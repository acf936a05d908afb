// Any bytes as a list in the http format: targets that can be sent, or one line that says why not; and wherever the bytes are
// cut on their way in, the same answer.
#include "targets_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace thrum;
  std::string text(reinterpret_cast<const char*>(data), size);
  // A body line opens a file: keep it to names that cannot be devices or pipes.
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1))
    while (at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '.')) text.erase(at + 1, 1);
  fuzz::read_any_way(text, TargetFormat::http);
  return 0;
}
