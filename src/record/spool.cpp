#include "record/spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"

namespace thrum {

std::string temporary_folder() {
  const char* const folder = ::secure_getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

Expected<Fd> unnamed_file(const std::string& folder) {
  Fd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  std::string path = folder + "/thrum-spool-XXXXXX";  // for file systems without O_TMPFILE
  file.reset(::mkostemp(path.data(), O_CLOEXEC));
  if (!file.is_open()) return failure(fmt::format("{}: can't make a file there: {}", printable(folder), std::strerror(errno)));
  ::unlink(path.c_str());
  return file;
}

Expected<void> Spool::open() {
  auto file = unnamed_file(folder_);
  if (!file) return fail("can't make a file there");
  file_ = std::move(*file);
  return {};
}

std::unexpected<Error> Spool::fail(std::string_view what) const {
  return failure(fmt::format("{}: {} to hold results that the output is too slow for: {}", printable(folder_), what, std::strerror(errno)));
}

Expected<void> Spool::put(std::string_view bytes) {
  if (!file_.is_open())
    if (auto opened = open(); !opened) return opened;
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(end_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail("can't write a file there");
    end_ += static_cast<std::uint64_t>(n);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  most_held_ = std::max(most_held_, end_ - first_);
  return {};
}

Expected<void> Spool::take(std::size_t most, std::string& into) {
  into.resize(std::min<std::uint64_t>(most, end_ - first_));
  std::size_t have = 0;
  while (have < into.size()) {
    const ssize_t n = ::pread(file_.get(), into.data() + have, into.size() - have, static_cast<off_t>(first_ + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return fail("can't read a file there");
    have += static_cast<std::size_t>(n);
  }
  first_ += have;
  constexpr std::uint64_t kRelease = 16 << 20;  // give back disk space in such steps
  if (first_ == end_) {
    if (::ftruncate(file_.get(), 0) == 0) first_ = end_ = released_ = 0;
  } else if (first_ - released_ >= kRelease) {
    ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(released_),
                static_cast<off_t>(first_ - released_));
    released_ = first_;
  }
  return {};
}

}  // namespace thrum
