#include "record/native_strings.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "record/native_format.hpp"

namespace thrum::native {
namespace {

constexpr std::size_t kMostStrings = 4096, kMostBytes = 128 * 1024;                         // of a writer, before it starts over
constexpr std::size_t kReadableStrings = 1 << 20, kReadableBytes = std::size_t{256} << 20;  // of a reader, in one epoch
constexpr std::uint32_t kDefinitions = 2;

}  // namespace

std::uint32_t payload_check(std::string_view payload) { return static_cast<std::uint32_t>(XXH3_64bits(payload.data(), payload.size())); }
std::uint32_t header_check(const char* header) { return static_cast<std::uint32_t>(XXH3_64bits(header, kBlockHeaderSize - 3) & 0xffffff); }

std::uint32_t StringWriter::number(std::string_view s, std::size_t slot) {
  if (s.empty()) return 0;
  std::uint32_t& last = last_[slot];
  if (last == 0 || text(last) != s) last = look_up(s);
  use(last);
  return last;
}

std::uint32_t StringWriter::look_up(std::string_view s) {
  if (2 * entries_.size() >= slots_.size()) grow_slots();
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = XXH3_64bits(s.data(), s.size()) & mask;
  for (; slots_[i] != 0; i = (i + 1) & mask)
    if (text(slots_[i]) == s) return slots_[i];
  entries_.push_back({static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(s.size()), 0, 0});
  bytes_ += s;
  return slots_[i] = static_cast<std::uint32_t>(entries_.size());
}

void StringWriter::grow_slots() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t n = 1; n <= entries_.size(); ++n) {
    const std::string_view s = text(n);
    std::size_t i = XXH3_64bits(s.data(), s.size()) & mask;
    while (slots_[i] != 0) i = (i + 1) & mask;
    slots_[i] = n;
  }
}

void StringWriter::use(std::uint32_t number) {
  Entry& e = entries_[number - 1];
  if (e.block == block_) return;
  e.block = block_;
  if (e.defined == kDefinitions) return;
  ++e.defined;
  append_varint(number, definitions_);
  append_varint(e.size, definitions_);
  definitions_ += text(number);
  ++definition_count_;
}

void StringWriter::next_block() {
  definitions_.clear();
  definition_count_ = 0;
  ++block_;
  if (entries_.size() > kMostStrings || bytes_.size() > kMostBytes) start_over();
}

void StringWriter::start_over() {
  ++epoch_;
  entries_.clear();
  bytes_.clear();
  if (bytes_.capacity() > 4 * kMostBytes) bytes_.shrink_to_fit();
  std::fill(slots_.begin(), slots_.end(), 0);
  last_ = {};
}

void StringWriter::clear() {
  next_block();
  start_over();
  epoch_ = 0;
}

bool StringReader::define(std::uint64_t number, std::string_view s) {
  if (number == 0 || number > kReadableStrings) return false;
  if (number > strings_.size()) strings_.resize(number);
  std::string_view& place = strings_[number - 1];
  if (place.data() != nullptr && place == s) return true;  // the second of its definitions
  if ((held_ += s.size() + 1) > kReadableBytes) return false;
  char* const copy = bytes_.take(s.size() + 1);  // never null, even for an empty one
  std::memcpy(copy, s.data(), s.size());
  place = {copy, s.size()};
  return true;
}

}  // namespace thrum::native
