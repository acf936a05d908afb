#include "targets/body_files.hpp"

#include <filesystem>
#include <system_error>

#include "base/text.hpp"
#include "targets/file.hpp"

namespace thrum::targets {

Expected<SharedBytes> BodyFiles::get(std::string_view path) {
  std::string key(path);
  if (const auto known = files_.find(key); known != files_.end()) return known->second;
  auto bytes = read(key);
  if (!bytes) return bytes;
  // Roughly what an entry costs; a stream that names ever new files must not fill the memory with them.
  const std::size_t cost = bytes->size() + key.size() + 128;
  if (kept_ + cost > keep_) {
    files_.clear();
    kept_ = 0;
  }
  if (cost <= keep_) {
    kept_ += cost;
    files_.emplace(std::move(key), *bytes);
  }
  return bytes;
}

Expected<SharedBytes> BodyFiles::read(const std::string& path) const {
  if (path.empty()) return failure("\"@\" names no body file");
  const std::filesystem::path wanted(path);
  std::error_code ignored;
  std::string found = path;
  if (wanted.is_relative() && !folder_.empty() && !std::filesystem::exists(wanted, ignored)) {
    const std::filesystem::path beside = folder_ / wanted;
    // Where neither exists, the error is about the one that has a neighbour of nearly that name.
    const bool is_slip = nearest_file(path).empty() && !nearest_file(beside.string()).empty();
    if (is_slip || std::filesystem::exists(beside, ignored)) found = beside.string();
  }
  auto fd = open_file(found, "body file");
  if (!fd) return std::unexpected(std::move(fd.error()));
  return read_body(std::move(*fd), found, "body file");
}

}  // namespace thrum::targets
