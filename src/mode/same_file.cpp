#include "mode/same_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace thrum::mode {

bool is_same_file(const std::string& output, const std::string& input) {
  struct stat in{}, out{};
  if (::stat(output.c_str(), &out) != 0 || !S_ISREG(out.st_mode)) return false;
  const bool is_stdin = input == "stdin" || input == "-";
  if ((is_stdin ? ::fstat(STDIN_FILENO, &in) : ::stat(input.c_str(), &in)) != 0) return false;
  return in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

}  // namespace thrum::mode
