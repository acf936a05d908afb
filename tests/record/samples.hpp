// Results for tests: made up, kept, compared, put into files and read back.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "record/encoder.hpp"
#include "record/reader.hpp"
#include "thrum/result.hpp"

namespace thrum::samples {

// Results with all that their views point to.
class Kept {
 public:
  void add(const Result& r);
  const std::vector<Result>& rows() const { return rows_; }
  std::size_t size() const { return rows_.size(); }

 private:
  std::string_view own(std::string_view s);
  std::vector<Result> rows_;
  std::deque<std::string> text_;
  std::deque<std::vector<Header>> headers_;
};

struct Kind {
  bool times = true;     // lag, first byte, phases: only native and JSON hold them
  bool captures = true;  // bodies and headers
  bool wild = true;      // odd bytes, extreme numbers, times and zones
};

// The same for the same seed.
Kept mixed(std::size_t count, std::uint64_t seed = 1, Kind kind = {true, true, true});

// Whether two results are equal in every field; if not, what differs.
std::string difference(const Result& a, const Result& b);

// All of `rows` in one stream, a block (where there are blocks) per `flush_every` rows.
std::string encoded(const std::vector<Result>& rows, Encoding encoding, std::size_t flush_every = 1000, const FileHeader& header = {});

struct Read {
  Kept results;
  std::string error;  // empty: none
  std::vector<Damage> damage;
  std::vector<Run> runs;
};
// What a reader makes of a file with these bytes.
Read read(std::string_view bytes, ReaderOptions options = {});
// The same through a pipe that gives a few bytes at a time.
Read read_through_pipe(std::string_view bytes, std::size_t at_a_time);

// A file in a folder of its own, gone with this.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view bytes = {}, std::string_view name = "results");
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  const std::string& folder() const { return folder_; }
  std::string contents() const;

 private:
  std::string folder_, path_;
};

}  // namespace thrum::samples
