// A queue of bytes on disk, in a file without a name: it is gone with the process, however that ends. Not for two threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "thrum/error.hpp"

namespace thrum {

class Spool {
 public:
  // The file is made in `folder` when it is first needed.
  explicit Spool(std::string folder) : folder_(std::move(folder)) {}

  bool empty() const { return first_ == end_; }
  Expected<void> put(std::string_view bytes);
  // Up to `most` bytes from the front into `into`, in place of what it held.
  Expected<void> take(std::size_t most, std::string& into);
  std::uint64_t most_held() const { return most_held_; }

 private:
  Expected<void> open();
  std::unexpected<Error> fail(std::string_view what) const;

  std::string folder_;
  Fd file_;
  std::uint64_t first_ = 0, end_ = 0;  // what is held lies between these in the file
  std::uint64_t released_ = 0;         // before this the file has no blocks any more
  std::uint64_t most_held_ = 0;
};

// A file in `folder` that has no name: it is gone when its last descriptor is.
Expected<Fd> unnamed_file(const std::string& folder);

// Where to spool when nobody says: $TMPDIR, else /tmp.
std::string temporary_folder();

}  // namespace thrum
