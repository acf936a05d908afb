#include "host/program_pages.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "host/kernel_text.hpp"

namespace thrum::host {
namespace {

// The program itself comes first; returning 1 ends the walk. What is never written is as it is in the file.
int give_back(dl_phdr_info* object, std::size_t, void*) {
  const auto page = static_cast<std::uintptr_t>(::getpagesize());
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (object->dlpi_addr + part.p_vaddr + page - 1) / page * page;
    const std::uintptr_t end = (object->dlpi_addr + part.p_vaddr + part.p_memsz) / page * page;
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // NOLINT: an address of the loader's
  }
  return 1;
}

}  // namespace

void give_back_program_pages() {
  if (value_of(read_text("/proc/self/status"), "TracerPid").value_or(1) == 0) ::dl_iterate_phdr(give_back, nullptr);
}

}  // namespace thrum::host
