// What was last found out about a text, for questions asked of every result whose answers depend on one of its texts: results
// repeat a few URLs, names and errors millions of times. Bounded: as many texts as slots, none longer than kLongest.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace thrum {

template <class Answer>
class Memo {
 public:
  // find_out(text) is asked when the answer is not known any more.
  template <class FindOut>
  Answer get(std::string_view text, FindOut&& find_out) {
    if (text.size() > kLongest) return find_out(text);
    if (slots_.empty()) slots_.resize(kSlots);
    Slot& slot = slots_[std::hash<std::string_view>()(text) % kSlots];
    if (!slot.is_used || slot.text != text) {
      slot.answer = find_out(text);
      slot.text = text;
      slot.is_used = true;
    }
    return slot.answer;
  }

 private:
  static constexpr std::size_t kSlots = 1024, kLongest = 512;
  struct Slot {
    std::string text;
    Answer answer{};
    bool is_used = false;
  };
  std::vector<Slot> slots_;  // made when first needed
};

}  // namespace thrum
