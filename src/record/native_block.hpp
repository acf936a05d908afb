// A results block of the native format, opened: columns are read at once, rows are made of them some at a time.
#pragma once

#include <zstd.h>

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "record/native_column.hpp"
#include "record/native_format.hpp"
#include "record/native_strings.hpp"
#include "record/scratch.hpp"
#include "thrum/result.hpp"

namespace thrum::native {

class ResultsBlock {
 public:
  // Rows made at a time: few enough to stay in the first-level cache.
  static constexpr std::size_t kBatch = 128;

  ResultsBlock() : rows_(kBatch) {}

  // Reads all but the rows. False: it makes no sense. `payload` must stay where it is until the last row was made.
  bool open(std::string_view payload, StringReader& strings);
  std::size_t rows_left() const { return count_ - next_; }
  // Attack names, methods, URLs, errors and names of the rows made so far whose definitions were lost with other blocks.
  std::uint64_t lost_strings() const { return lost_strings_; }
  // The next rows, at most kBatch; empty though some are left: they make no sense. They live until the next call of either.
  std::span<const Result> next_rows();

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
  };

  bool read_text(Cursor& c, bool compressed);
  bool read_definitions(StringReader& strings);
  bool in_range() const;
  void fill_constants();
  void fill_times(std::span<Result> rows);
  template <class Assign>
  void fill(Column c, std::span<Result> rows, Assign assign);
  void take_string(std::uint64_t number, std::string_view& into, std::size_t rows);
  void fill_strings(Column c, std::string_view Result::* member, std::span<Result> rows);
  bool fill_captures(std::span<Result> rows);
  bool fill_headers(Result& row, std::uint64_t count);

  std::size_t count_ = 0, next_ = 0;
  TimeMode mode_ = TimeMode::sent_by_seq;
  std::uint64_t first_seq_ = 0, base_ = 0, slope_ = 0;
  std::uint64_t seq_ = 0, moment_ = 0;  // of the row made last
  std::int64_t second_ = 0;             // the second of that row, and where it starts
  std::uint64_t second_start_ = 0;
  std::array<ColumnValues, kColumns> columns_;
  std::uint64_t lost_strings_ = 0;
  const StringReader* strings_ = nullptr;
  Cursor text_{{}};
  std::vector<char> unpacked_;
  std::vector<Result> rows_;
  std::vector<Header> headers_;
  Scratch scratch_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> zstd_;
};

}  // namespace thrum::native
