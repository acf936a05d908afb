// Any bytes from a terminal: the same keys whatever the pieces they come in, nothing held for ever, and text that is text.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "ui/keys.hpp"

namespace {

using thrum::ui::Key;
using thrum::ui::KeyReader;

std::vector<Key> read(std::string_view bytes, std::size_t piece) {
  KeyReader reader;
  std::vector<Key> keys;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) reader.feed(bytes.substr(0, piece), keys);
  constexpr int kLongAgo = 100;
  for (int i = 0; i < kLongAgo; ++i) reader.pause(keys);
  if (reader.waits()) std::abort();
  return keys;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<Key> whole = read(bytes, bytes.size() + 1);
  for (const std::size_t piece : {1, 3, 7})
    if (read(bytes, piece) != whole) std::abort();
  for (const Key& key : whole) {
    if (key.kind == Key::Kind::text && (key.text < U' ' || key.text > 0x10ffff)) std::abort();
    if (key.pasted.size() > KeyReader::kLongestPaste || key.pasted.find('\r') != key.pasted.npos) std::abort();
  }
  return 0;
}
