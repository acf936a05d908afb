#include "report/plot_store.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "record/spool.hpp"

namespace thrum::report {

PlotStore::Piece PlotStore::put(std::string_view bytes) {
  Piece piece{.at = end_, .size = static_cast<std::uint32_t>(bytes.size())};
  if (in_memory_ + bytes.size() > most_in_memory_ && append(bytes)) return piece;
  piece.text = bytes;
  in_memory_ += bytes.size();
  return piece;
}

bool PlotStore::append(std::string_view bytes) {
  if (!is_writable_) return false;
  if (!file_.is_open()) {
    auto file = unnamed_file(folder_.empty() ? temporary_folder() : folder_);
    is_writable_ = file.has_value();
    if (!file) return false;
    file_ = std::move(*file);
  }
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::pwrite(file_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(end_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return is_writable_ = false;
    done += static_cast<std::size_t>(n);
  }
  end_ += bytes.size();
  return true;
}

std::size_t PlotStore::read(const Piece& piece, std::size_t offset, char* into, std::size_t most) const {
  const std::size_t wanted = std::min<std::size_t>(most, piece.size - offset);
  std::size_t have = 0;
  while (have < wanted) {
    const ssize_t n = ::pread(file_.get(), into + have, wanted - have, static_cast<off_t>(piece.at + offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      failed_ = true;
      return 0;
    }
    have += static_cast<std::size_t>(n);
  }
  return have;
}

}  // namespace thrum::report
