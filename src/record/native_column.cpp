#include "record/native_column.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace thrum::native {
namespace {

constexpr std::uint8_t kConstant = 0, kPalette = 65, kWithExceptions = 128;
constexpr std::size_t kLargestPalette = 16;  // what ours writes; the format has room for 256
constexpr std::size_t kPaletteProbe = 64;    // numbers looked at before a palette is thought of

constexpr std::uint64_t mask_of(unsigned width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

template <class Next>
void append_packed(std::size_t count, unsigned width, Next next, std::string& out) {
  const std::size_t start = out.size();
  out.resize(start + (count * width + 7) / 8 + 8);
  char* p = out.data() + start;
  unsigned __int128 held = 0;
  unsigned bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    held |= static_cast<unsigned __int128>(next(i)) << bits;
    bits += width;
    if (bits >= 64) {
      const auto word = static_cast<std::uint64_t>(held);
      if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(p, &word, 8);
      } else {
        for (int b = 0; b < 8; ++b) p[b] = static_cast<char>(word >> (8 * b));
      }
      p += 8;
      held >>= 64;
      bits -= 64;
    }
  }
  for (; bits > 0; bits -= std::min(bits, 8u), held >>= 8) *p++ = static_cast<char>(held);
  out.resize(static_cast<std::size_t>(p - out.data()));
}

std::uint64_t load_word(const char* p) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little)
    std::memcpy(&word, p, 8);
  else
    word = read_fixed<std::uint64_t>(p);
  return word;
}

void unpack(const char* p, std::size_t count, unsigned width, std::uint64_t base, std::uint64_t* into) {
  const std::uint64_t mask = mask_of(width);
  std::size_t bit = 0;
  if (width <= 57) {
    for (std::size_t i = 0; i < count; ++i, bit += width) into[i] = base + ((load_word(p + bit / 8) >> (bit % 8)) & mask);
    return;
  }
  for (std::size_t i = 0; i < count; ++i, bit += width) {
    const unsigned shift = bit % 8;
    std::uint64_t v = load_word(p + bit / 8) >> shift;
    if (shift + width > 64) v |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(p[bit / 8 + 8])) << (64 - shift);
    into[i] = base + (v & mask);
  }
}

std::size_t varint_size(std::uint64_t v) { return std::max<std::size_t>(1, (static_cast<std::size_t>(std::bit_width(v)) + 6) / 7); }

// How many of the numbers need each width.
using Widths = std::array<std::uint32_t, 65>;

// The width at which the numbers, with those that do not fit listed one by one, take the fewest bits.
unsigned best_width(const Widths& widths, std::size_t count, unsigned widest, std::size_t& bits) {
  constexpr std::size_t kException = 24;  // bits for one: its gap and its excess, as a rule
  unsigned best = widest;
  bits = count * widest;
  std::size_t exceptions = 0;
  for (unsigned w = widest; w-- > 0;) {
    exceptions += widths[w + 1];
    const std::size_t cost = count * w + exceptions * (kException + (widest - w > 14 ? (widest - w - 7) / 7 * 8 : 0)) + 8;
    if (cost < bits) bits = cost, best = w;
  }
  return best;
}

struct Palette {
  std::array<std::uint64_t, kLargestPalette> numbers{};
  std::size_t size = 0;

  // The index of v, taking it in if there is room; kLargestPalette if there is none.
  std::size_t index(std::uint64_t v) {
    std::size_t i = 0;
    while (i < size && numbers[i] != v) ++i;
    if (i == size && size < kLargestPalette) numbers[size++] = v;
    return i;
  }
  unsigned width() const { return static_cast<unsigned>(std::bit_width(size - 1)); }
};

bool fill_palette(std::span<const std::uint64_t> values, Palette& palette) {
  for (const std::uint64_t v : values)
    if (palette.index(v) == kLargestPalette) return false;
  return true;
}

void append_exceptions(std::span<const std::uint64_t> values, std::uint64_t base, unsigned width, std::string& out) {
  std::size_t count = 0, next = 0;
  for (const std::uint64_t v : values) count += (v - base) >> width != 0;
  append_varint(count, out);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t beyond = (values[i] - base) >> width;
    if (beyond == 0) continue;
    append_varint(i - next, out);
    append_varint(beyond, out);
    next = i + 1;
  }
}

}  // namespace

void append_column(std::span<const std::uint64_t> values, std::string& out) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const std::uint64_t base = *lowest;
  if (base == *highest) {
    out += static_cast<char>(kConstant);
    return append_varint(base, out);
  }
  Widths widths{};
  for (const std::uint64_t v : values) ++widths[static_cast<std::size_t>(std::bit_width(v - base))];
  const auto widest = static_cast<unsigned>(std::bit_width(*highest - base));
  std::size_t bits = 0;
  const unsigned width = best_width(widths, values.size(), widest, bits);

  Palette palette;
  if (width > 1 && fill_palette(values.first(std::min(values.size(), kPaletteProbe)), palette) && fill_palette(values, palette)) {
    std::size_t cost = 8 + values.size() * palette.width();
    for (std::size_t i = 0; i < palette.size; ++i) cost += 8 * varint_size(palette.numbers[i]);
    if (cost < bits + 8 * varint_size(base)) {
      out += static_cast<char>(kPalette);
      out += static_cast<char>(palette.size - 1);
      for (std::size_t i = 0; i < palette.size; ++i) append_varint(palette.numbers[i], out);
      return append_packed(values.size(), palette.width(), [&](std::size_t i) { return palette.index(values[i]); }, out);
    }
  }

  const std::uint64_t mask = mask_of(width);
  out += static_cast<char>(width == widest ? width : kWithExceptions | width);
  append_varint(base, out);
  append_packed(values.size(), width, [&](std::size_t i) { return (values[i] - base) & mask; }, out);
  if (width != widest) append_exceptions(values, base, width, out);
}

void ColumnValues::read(Cursor& c, std::size_t rows) {
  const std::uint8_t form = c.byte();
  if (form == kConstant) return set_all(c.varint());
  constant_ = false;
  if (values_.size() < rows) values_.resize(rows);
  if (form == kPalette) return read_palette(c, rows);
  const unsigned width = form & 127u;
  const bool exceptions = (form & kWithExceptions) != 0;
  if (width > 64 || (exceptions && width > 63)) return c.fail();
  const std::uint64_t base = c.varint();
  const std::string_view packed = c.bytes((rows * width + 7) / 8);
  if (c.failed()) return;
  unpack(packed.data(), rows, width, base, values_.data());
  if (exceptions) read_exceptions(c, width, rows);
}

void ColumnValues::read_exceptions(Cursor& c, unsigned width, std::size_t rows) {
  const std::uint64_t count = c.varint();
  std::uint64_t row = 0;
  for (std::uint64_t i = 0; i < count && !c.failed(); ++i, ++row) {
    const std::uint64_t gap = c.varint();
    if (gap >= rows || (row += gap) >= rows) return c.fail();
    values_[row] += c.varint() << width;
  }
}

void ColumnValues::read_palette(Cursor& c, std::size_t rows) {
  std::array<std::uint64_t, 256> numbers;
  const std::size_t size = std::size_t{c.byte()} + 1;
  for (std::size_t i = 0; i < size; ++i) numbers[i] = c.varint();
  const auto width = static_cast<unsigned>(std::bit_width(size - 1));
  const std::string_view packed = c.bytes((rows * width + 7) / 8);
  if (c.failed()) return;
  unpack(packed.data(), rows, width, 0, values_.data());
  for (std::size_t i = 0; i < rows; ++i) {
    if (values_[i] >= size) return c.fail();
    values_[i] = numbers[values_[i]];
  }
}

}  // namespace thrum::native
