#include "record/gob_value.hpp"

#include <bit>
#include <utility>

namespace thrum::gob {
namespace {

constexpr std::size_t kMostTypes = 1024, kMostFields = 1024;
constexpr int kDeepest = 64;

// The fields of a structure as they come: number() of each, 0 at its end.
class Structure {
 public:
  explicit Structure(Cursor& c) : c_(c) {}
  std::uint64_t next() {
    const std::uint64_t delta = c_.unsigned_number();
    if (delta == 0 || c_.failed()) return 0;
    if (delta > kMostFields) return c_.fail(), 0;
    return field_ += delta;
  }

 private:
  Cursor& c_;
  std::uint64_t field_ = 0;
};

// Every kind of definition starts with the type's name and number.
std::string read_common(Cursor& c) {
  std::string name;
  Structure common(c);
  while (const std::uint64_t field = common.next()) {
    if (field == 1)
      name = c.bytes();
    else if (field == 2)
      c.signed_number();
    else
      c.fail();
  }
  return name;
}

void read_fields(Cursor& c, std::vector<Field>& into) {
  const std::uint64_t count = c.unsigned_number();
  if (count > kMostFields) return c.fail();
  for (std::uint64_t i = 0; i < count && !c.failed(); ++i) {
    Field& f = into.emplace_back();
    Structure field(c);
    while (const std::uint64_t n = field.next()) {
      if (n == 1)
        f.name = c.bytes();
      else if (n == 2)
        f.type = c.signed_number();
      else
        c.fail();
    }
  }
}

Type read_type(std::uint64_t kind, Cursor& c) {
  constexpr std::uint64_t kArray = 1, kSlice = 2, kStruct = 3, kMap = 4;
  Type type;
  type.kind = kind == kArray    ? Type::Kind::array
              : kind == kSlice  ? Type::Kind::slice
              : kind == kStruct ? Type::Kind::structure
              : kind == kMap    ? Type::Kind::map
                                : Type::Kind::opaque;
  Structure definition(c);
  while (const std::uint64_t field = definition.next()) {
    if (field == 1)
      type.name = read_common(c);
    else if (field == 2 && kind == kStruct)
      read_fields(c, type.fields);
    else if (field == 2 && kind == kMap)
      type.key = c.signed_number();
    else if ((field == 2 && (kind == kArray || kind == kSlice)) || (field == 3 && kind == kMap))
      type.element = c.signed_number();
    else if (field == 3 && kind == kArray)
      c.signed_number();  // its length, which values repeat
    else
      c.fail();
  }
  return type;
}

}  // namespace

std::uint64_t Cursor::long_number(std::uint8_t first) {
  const std::size_t n = 256u - first;  // how many bytes follow, most significant first
  if (n > 8 || n > left()) return fail(), 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < n; ++i) value = value << 8 | static_cast<std::uint8_t>(*at_++);
  return value;
}

std::string_view Cursor::bytes(std::uint64_t n) {
  if (n > left()) return fail(), std::string_view();
  const std::string_view s(at_, n);
  at_ += n;
  return s;
}

bool Types::define(std::int64_t id, Cursor& c) {
  Structure wire(c);
  const std::uint64_t kind = wire.next();
  constexpr std::uint64_t kKinds = 7;
  if (kind == 0 || kind > kKinds || id < kFirstFree || types_.size() >= kMostTypes) return false;
  Type type = read_type(kind, c);
  if (wire.next() != 0 || c.failed()) return false;
  types_[id] = std::move(type);
  return true;
}

const Type* Types::find(std::int64_t id) const {
  const auto found = types_.find(id);
  return found == types_.end() ? nullptr : &found->second;
}

void Types::skip(std::int64_t id, Cursor& c, int depth) const {
  if (depth > kDeepest) return c.fail();
  switch (id) {
    case kBool:
    case kInt:
    case kUint:
    case kFloat:
      c.unsigned_number();
      return;
    case kBytes:
    case kString:
      c.bytes();
      return;
    case kComplex:
      c.unsigned_number(), c.unsigned_number();
      return;
    case kInterface:
      if (c.bytes().empty()) return;
      c.signed_number(), c.bytes();
      return;
    default:
      break;
  }
  const Type* const type = find(id);
  if (type == nullptr) return c.fail();
  switch (type->kind) {
    case Type::Kind::opaque:
      c.bytes();
      return;
    case Type::Kind::structure: {
      Structure value(c);
      while (const std::uint64_t field = value.next()) {
        if (field > type->fields.size()) return c.fail();
        skip(type->fields[field - 1].type, c, depth + 1);
      }
      return;
    }
    case Type::Kind::array:
    case Type::Kind::slice:
    case Type::Kind::map: {
      const std::uint64_t count = c.unsigned_number();
      for (std::uint64_t i = 0; i < count && !c.failed(); ++i) {
        if (type->kind == Type::Kind::map) skip(type->key, c, depth + 1);
        skip(type->element, c, depth + 1);
      }
      return;
    }
  }
}

void append_unsigned(std::uint64_t value, std::string& out) {
  if (value < 0x80) {
    out += static_cast<char>(value);
    return;
  }
  const int bytes = (std::bit_width(value) + 7) / 8;
  out += static_cast<char>(-bytes);
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

}  // namespace thrum::gob
