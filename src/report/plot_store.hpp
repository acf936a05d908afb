// Where packed points lie: in memory, and beyond a bound in a file without a name, so that memory does not grow with the number
// of results. Where no file can be made, or the disk is full, they stay in memory after all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.hpp"

namespace thrum::report {

class PlotStore {
 public:
  static constexpr std::size_t kMostInMemory = 128 << 20;

  // The file is made in `folder` when it is first needed; empty: $TMPDIR, else /tmp.
  explicit PlotStore(std::size_t most_in_memory = kMostInMemory, std::string folder = {})
      : most_in_memory_(most_in_memory), folder_(std::move(folder)) {}

  // Bytes that were put: `text` holds them, or else they begin at `at` in the file.
  struct Piece {
    std::string text = {};
    std::uint64_t at = 0;
    std::uint32_t size = 0;
    bool is_in_file() const { return text.size() != size; }
  };
  Piece put(std::string_view bytes);
  // Bytes of a piece in the file, from `offset` on; fewer than asked for at its end. 0: the file could not be read.
  std::size_t read(const Piece& piece, std::size_t offset, char* into, std::size_t most) const;

  bool has_failed() const { return failed_; }  // in reading back
  std::size_t in_memory() const { return in_memory_; }

 private:
  bool append(std::string_view bytes);

  std::size_t most_in_memory_;
  std::string folder_;
  std::size_t in_memory_ = 0;
  Fd file_;
  std::uint64_t end_ = 0;    // of what the file holds
  bool is_writable_ = true;  // the file, as far as is known
  mutable bool failed_ = false;
};

}  // namespace thrum::report
