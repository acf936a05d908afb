#include "cli/profiling.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "profile/heap_profile.hpp"

namespace thrum::cli {

Expected<Profiling> Profiling::start(std::string_view what) {
  Profiling profiling;
  profiling.path_ = fmt::format("{}.pprof", what);
  profiling.file_.reset(std::fopen(profiling.path_.c_str(), "wbe"));
  if (profiling.file_ == nullptr) return failure(fmt::format("-profile: {}: {}", profiling.path_, std::strerror(errno)));
  if (what == "heap") {
    profile::HeapProfile::start();
    return profiling;
  }
  auto cpu = profile::CpuProfile::start();
  if (!cpu) return std::unexpected(cpu.error());
  profiling.cpu_ = std::move(*cpu);
  return profiling;
}

Expected<std::string> Profiling::finish() {
  const std::string content = cpu_ != nullptr ? cpu_->finish() : profile::HeapProfile::finish();
  const bool is_whole = std::fwrite(content.data(), 1, content.size(), file_.get()) == content.size();
  if (!is_whole || std::fflush(file_.get()) != 0) return failure(fmt::format("-profile: {}: {}", path_, std::strerror(errno)));
  std::error_code none;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", none);
  return fmt::format("wrote {}; to read it: go tool pprof -top {} {}", path_, printable(program), path_);
}

}  // namespace thrum::cli
