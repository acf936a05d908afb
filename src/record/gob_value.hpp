// The grammar of Go's gob encoding: numbers, messages, type definitions. Nothing here knows results.
// A message is its length and then either the definition of a type (a negative type number) or a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thrum::gob {

// Types that need no definition.
enum BuiltIn : std::int64_t {
  kBool = 1,
  kInt = 2,
  kUint = 3,
  kFloat = 4,
  kBytes = 5,
  kString = 6,
  kComplex = 7,
  kInterface = 8,
  kFirstFree = 64
};

// Reads from a span; after a failure everything it gives is zero or empty.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  bool failed() const { return failed_; }
  bool at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const char* position() const { return at_; }

  std::uint64_t unsigned_number();
  std::int64_t signed_number() {
    const std::uint64_t u = unsigned_number();
    return static_cast<std::int64_t>(u & 1 ? ~(u >> 1) : u >> 1);
  }
  std::string_view bytes() { return bytes(unsigned_number()); }
  std::string_view bytes(std::uint64_t n);
  void fail() { failed_ = true, at_ = end_; }

 private:
  std::uint64_t long_number(std::uint8_t first);

  const char* at_;
  const char* end_;
  bool failed_ = false;
};

inline std::uint64_t Cursor::unsigned_number() {
  if (at_ == end_) return fail(), 0;
  const auto first = static_cast<std::uint8_t>(*at_++);
  return first < 0x80 ? first : long_number(first);
}

struct Field {
  std::string name;
  std::int64_t type = 0;
};

struct Type {
  enum class Kind : std::uint8_t {
    opaque,
    array,
    slice,
    structure,
    map
  } kind = Kind::opaque;  // opaque: a type that encodes itself, as bytes
  std::string name;
  std::int64_t element = 0, key = 0;
  std::vector<Field> fields;
};

class Types {
 public:
  // Takes in the definition of type `id` that follows in `c`, in place of any earlier one. false: it makes no sense.
  bool define(std::int64_t id, Cursor& c);
  const Type* find(std::int64_t id) const;
  std::size_t size() const { return types_.size(); }
  // Passes over a value of that type; a failure shows in `c`.
  void skip(std::int64_t type, Cursor& c, int depth = 0) const;

 private:
  std::unordered_map<std::int64_t, Type> types_;
};

void append_unsigned(std::uint64_t value, std::string& out);
inline void append_signed(std::int64_t value, std::string& out) {
  append_unsigned(value < 0 ? (~static_cast<std::uint64_t>(value) << 1) | 1 : static_cast<std::uint64_t>(value) << 1, out);
}
inline void append_bytes(std::string_view bytes, std::string& out) {
  append_unsigned(bytes.size(), out);
  out += bytes;
}

}  // namespace thrum::gob
