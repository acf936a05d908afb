// A file's bytes as memory, without a copy of our own: for request bodies too large to be worth reading.
//
// Somebody may cut the file short while it is mapped, and whoever then touches what is gone gets a SIGBUS, which must not end
// the program. So nobody touches mapped bytes: the kernel, asked to send them, says EFAULT instead, and code that needs them in
// user space (TLS) takes them with copy_bytes().
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/fd.hpp"

namespace thrum {

class MappedFile {
 public:
  // Files below this are read: a copy costs less than a mapping.
  static constexpr std::size_t kMost = 64;  // each holds a descriptor, which connections want, too
  static constexpr std::size_t kWorthMapping = std::size_t{1} << 20;

  // The first `size` bytes of a regular file; null if it can't be mapped, or kMost are.
  static std::shared_ptr<const MappedFile> map(Fd file, std::size_t size);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {start_, size_}; }

 private:
  friend bool copy_bytes(std::span<const char> from, char* to);
  friend struct Mappings;
  MappedFile(Fd file, const char* start, std::size_t size);

  Fd file_;
  const char* start_;
  std::size_t size_;
};

// Whether these bytes are a part of a mapped file. Costs nothing while none is mapped.
bool is_mapped(std::span<const char> bytes);
// memcpy, for bytes that may be those of a mapped file. False: the file has become shorter, and `to` is worth nothing.
bool copy_bytes(std::span<const char> from, char* to);

}  // namespace thrum
