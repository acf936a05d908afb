// The strings of a native stream (attack names, methods, URLs, errors, names of targets) as numbers.
//
// A string is defined, with its number, in the first two blocks that use it: so the loss of one block loses no other block's
// strings. When the table is full it starts over (another epoch, from 1), so that memory stays flat even if every URL is new.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/scratch.hpp"

namespace thrum::native {

class StringWriter {
 public:
  // The number of `s`; 0 is the empty string. `slot` (0 … 4) remembers the last string asked for there.
  std::uint32_t number(std::string_view s, std::size_t slot);

  std::uint64_t epoch() const { return epoch_; }
  // The definitions that the open block must carry, one after the other, and how many.
  const std::string& definitions() const { return definitions_; }
  std::size_t definition_count() const { return definition_count_; }
  void next_block();
  void clear();  // for a new stream

 private:
  struct Entry {
    std::uint32_t offset = 0, size = 0;
    std::uint32_t block = 0;  // in which it was last used, counted from 1
    std::uint32_t defined = 0;
  };
  std::string_view text(std::uint32_t number) const {
    return std::string_view(bytes_).substr(entries_[number - 1].offset, entries_[number - 1].size);
  }
  std::uint32_t look_up(std::string_view s);
  void grow_slots();
  void use(std::uint32_t number);
  void start_over();

  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // a hash table of numbers, 0: free; its size is a power of two
  std::array<std::uint32_t, 5> last_{};
  std::uint64_t epoch_ = 0;
  std::uint32_t block_ = 1;
  std::string definitions_;
  std::size_t definition_count_ = 0;
};

class StringReader {
 public:
  void enter_epoch(std::uint64_t epoch) {
    if (epoch != epoch_) clear(), epoch_ = epoch;
  }
  // false: more than any writer would define.
  bool define(std::uint64_t number, std::string_view s);
  // Whether `number` is defined; its string, valid until the next epoch, is then in `into`.
  bool find(std::uint64_t number, std::string_view& into) const {
    if (number == 0) return into = {}, true;
    if (number > strings_.size() || strings_[number - 1].data() == nullptr) return false;
    return into = strings_[number - 1], true;
  }
  void clear() {
    strings_.clear();
    bytes_.clear();
    held_ = 0;
    epoch_ = 0;
  }

 private:
  std::vector<std::string_view> strings_;
  Scratch bytes_;
  std::size_t held_ = 0;
  std::uint64_t epoch_ = 0;
};

}  // namespace thrum::native
