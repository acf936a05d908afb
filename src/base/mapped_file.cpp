#include "base/mapped_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace thrum {

// All that is mapped, by address: who is given a span must find the file that it is of. Most programs map none.
struct Mappings {
  std::mutex mutex;
  std::map<const char*, const MappedFile*> by_start;
  std::atomic<std::size_t> count{0};

  static Mappings& all() {
    static Mappings mappings;
    return mappings;
  }
  // Whoever gave us the bytes keeps the file.
  const MappedFile* find(const char* at) {
    if (count.load(std::memory_order_relaxed) == 0) return nullptr;
    const std::lock_guard lock(mutex);
    const auto next = by_start.upper_bound(at);
    if (next == by_start.begin()) return nullptr;
    const MappedFile* file = std::prev(next)->second;
    return at < file->start_ + file->size_ ? file : nullptr;
  }
};

MappedFile::MappedFile(Fd file, const char* start, std::size_t size) : file_(std::move(file)), start_(start), size_(size) {
  Mappings& all = Mappings::all();
  const std::lock_guard lock(all.mutex);
  all.by_start.emplace(start_, this);
  all.count.store(all.by_start.size());
}

MappedFile::~MappedFile() {
  {
    Mappings& all = Mappings::all();
    const std::lock_guard lock(all.mutex);
    all.by_start.erase(start_);
    all.count.store(all.by_start.size());
  }
  ::munmap(const_cast<char*>(start_), size_);
}

std::shared_ptr<const MappedFile> MappedFile::map(Fd file, std::size_t size) {
  if (size == 0 || Mappings::all().count.load() >= kMost) return nullptr;
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return nullptr;
  ::madvise(start, size, MADV_SEQUENTIAL);
  return std::shared_ptr<const MappedFile>(new MappedFile(std::move(file), static_cast<const char*>(start), size));
}

bool is_mapped(std::span<const char> bytes) { return Mappings::all().find(bytes.data()) != nullptr; }

// What lies in a mapped file is read from the file: that ends early where touching the memory would end the program.
bool copy_bytes(std::span<const char> from, char* to) {
  if (from.empty()) return true;
  const MappedFile* mapped = Mappings::all().find(from.data());
  if (mapped == nullptr) {
    std::memcpy(to, from.data(), from.size());
    return true;
  }
  const auto start = static_cast<off_t>(from.data() - mapped->start_);
  for (std::size_t done = 0; done < from.size();) {
    const ssize_t n = ::pread(mapped->file_.get(), to + done, from.size() - done, start + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace thrum
