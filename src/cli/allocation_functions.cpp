// The program's allocation functions: those of the C library, with a look at them for -profile=heap. Only the executable has this
// file; the library leaves its users' allocation alone. The other forms of new and delete end up in these.
#include <cstdlib>
#include <new>

#include "profile/heap_profile.hpp"

namespace {

using thrum::profile::HeapProfile;

// Until there is memory, or nobody has any to give back.
template <class Allocate>
void* allocate(std::size_t size, const void* caller, Allocate from) {
  void* at = nullptr;
  while ((at = from()) == nullptr) {
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
  HeapProfile::allocated(at, size, caller);
  return at;
}

}  // namespace

void* operator new(std::size_t size) {
  if (size == 0) size = 1;
  return allocate(size, __builtin_return_address(0), [&] { return std::malloc(size); });
}

void* operator new(std::size_t size, std::align_val_t align) {
  const auto alignment = static_cast<std::size_t>(align);
  const std::size_t whole = (size + alignment - 1) / alignment * alignment;  // as aligned_alloc wants it
  return allocate(size, __builtin_return_address(0), [&] { return std::aligned_alloc(alignment, whole == 0 ? alignment : whole); });
}

// AddressSanitizer's own would not end up in the one above.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void operator delete(void* at) noexcept {
  HeapProfile::freed(at);
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept { operator delete(at); }
void operator delete(void* at, std::align_val_t) noexcept { operator delete(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { operator delete(at); }
