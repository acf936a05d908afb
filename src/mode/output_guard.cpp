#include "mode/output_guard.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"

namespace thrum::mode {
namespace {

bool stat_of(std::string_view path, struct stat& to) {
  if (path == "stdin") return ::fstat(STDIN_FILENO, &to) == 0;
  return !path.empty() && ::stat(std::string(path).c_str(), &to) == 0;
}

}  // namespace

Expected<void> guard_output(const std::string& output, std::span<const Input> inputs) {
  struct stat out{};
  if (!stat_of(output, out) || !S_ISREG(out.st_mode)) return {};
  for (const Input& input : inputs) {
    struct stat in{};
    if (!stat_of(input.path, in) || in.st_dev != out.st_dev || in.st_ino != out.st_ino) continue;
    return usage_error(
        fmt::format("-output={} is what {} reads; it would be emptied first, so name another file", printable(output), input.flag));
  }
  return {};
}

}  // namespace thrum::mode
