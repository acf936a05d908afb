// From bytes that a terminal sends to keys, and to what was pasted. Bytes may come in any pieces; what is no key is passed over.
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
    del,
    escape,
    interrupt,
    help,     // F1
    control,  // with a letter, which is `text`
    paste     // `pasted`
  };
  Kind kind = Kind::text;
  char32_t text = 0;     // of `text` and `control`
  std::string pasted{};  // with \n between lines
  bool operator==(const Key&) const = default;
};

class KeyReader {
 public:
  static constexpr std::size_t kLongestPaste = std::size_t{1} << 20;  // the rest is passed over

  void feed(std::string_view bytes, std::vector<Key>& keys);
  // Nothing more came for a while: an escape that stands alone is the key. A paste is waited for longer, but not for ever.
  void pause(std::vector<Key>& keys);
  bool waits() const { return !bytes_.empty() || is_pasting_; }

 private:
  static constexpr int kMostPauses = 20;

  // How many bytes the first key takes; 0: it isn't whole yet.
  std::size_t take(std::string_view bytes, std::vector<Key>& keys);
  std::size_t take_sequence(std::string_view bytes, std::vector<Key>& keys);
  std::size_t take_paste(std::string_view bytes, std::vector<Key>& keys);
  void end_paste(std::vector<Key>& keys);

  std::string bytes_;
  bool is_skipping_ = false;  // the rest of a sequence that is too long to be a key's
  bool is_pasting_ = false;
  std::string pasted_;
  int pauses_ = 0;  // in the paste, one after the other
};

}  // namespace thrum::ui
