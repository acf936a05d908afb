// From bytes that a terminal sends to keys. Bytes may come in any pieces; what is no key is passed over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thrum::ui {

struct Key {
  enum class Kind : std::uint8_t {
    text,
    up,
    down,
    left,
    right,
    page_up,
    page_down,
    home,
    end,
    tab,
    back_tab,
    enter,
    backspace,
    escape,
    interrupt
  };
  Kind kind = Kind::text;
  char32_t text = 0;  // of `text`
  bool operator==(const Key&) const = default;
};

class KeyReader {
 public:
  void feed(std::string_view bytes, std::vector<Key>& keys);
  // Nothing more came for a while: an escape that stands alone is the key.
  void pause(std::vector<Key>& keys);
  bool waits() const { return !bytes_.empty(); }

 private:
  // How many bytes the first key takes; 0: it isn't whole yet.
  static std::size_t take(std::string_view bytes, std::vector<Key>& keys);

  std::string bytes_;
};

}  // namespace thrum::ui
