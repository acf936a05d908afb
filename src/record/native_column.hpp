// One column of a native block: a list of numbers, in the form that takes the fewest bytes.
//
//   0            all the same: a varint
//   w = 1 … 64   base (varint), then each number less the base in w bits, least significant bit first
//   65           a palette: how many less one (a byte), the numbers (varints), then the index of each in just enough bits
//   128 + w      as w (0 … 63), but some numbers do not fit: how many (varint), then for each how many rows were passed over since
//                the last one and its bits beyond w (varints)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/native_format.hpp"

namespace thrum::native {

void append_column(std::span<const std::uint64_t> values, std::string& out);

// A column read back: one number for all rows, or one for each.
class ColumnValues {
 public:
  // A failure shows in the cursor. The bytes behind the cursor's end up to ByteSource::kSlack must be readable.
  void read(Cursor& c, std::size_t rows);
  void set_all(std::uint64_t value) { constant_ = true, value_ = value; }

  bool is_constant() const { return constant_; }
  std::uint64_t value() const { return value_; }
  const std::uint64_t* each() const { return values_.data(); }
  std::uint64_t at(std::size_t row) const { return constant_ ? value_ : values_[row]; }

 private:
  void read_palette(Cursor& c, std::size_t rows);
  void read_exceptions(Cursor& c, unsigned width, std::size_t rows);

  bool constant_ = true;
  std::uint64_t value_ = 0;
  std::vector<std::uint64_t> values_;
};

}  // namespace thrum::native
