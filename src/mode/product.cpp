#include "mode/product.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "mode/same_file.hpp"
#include "mode/standard_streams.hpp"
#include "record/reader.hpp"

namespace thrum::mode {
namespace {

bool holds_results(const std::string& path) { return open_results(std::array{path}).has_value(); }

}  // namespace

Expected<void> Product::check() const {
  if (out_) return {};
  if (is_stdout()) return check_stdout();
  const std::string shown = printable(name_);
  struct stat out{};
  if (::stat(name_.c_str(), &out) != 0) {
    std::filesystem::path folder = std::filesystem::path(name_).parent_path();
    if (folder.empty()) folder = ".";
    if (errno == ENOENT && ::access(folder.c_str(), W_OK | X_OK) == 0) return {};
    return failure(fmt::format("can't write {}={}: {}", flag_, shown, std::strerror(errno)));
  }
  if (!S_ISREG(out.st_mode)) {
    if (S_ISDIR(out.st_mode)) return failure(fmt::format("can't write {}={}: it is a folder", flag_, shown));
    return {};  // terminals, pipes, /dev/null: nothing there to lose
  }
  for (const std::string& input : inputs_)
    if (is_same_file(name_, input))
      return usage_error(fmt::format("{}={} is the results file being read: name another file", flag_, shown));
  if (!force_ && out.st_size > 0 && holds_results(name_))
    return usage_error(fmt::format("{}={} holds results, which would be overwritten: name another file{}", flag_, shown,
                                   flag_ == "-output" ? ", or add -force" : ""));
  if (::access(name_.c_str(), W_OK) != 0) return failure(fmt::format("can't write {}={}: {}", flag_, shown, std::strerror(errno)));
  return {};
}

Expected<void> Product::write(std::string_view text) {
  if (!out_) {
    if (const auto fine = check(); !fine) return fine;
    if (is_stdout()) {
      out_.emplace(STDOUT_FILENO, "stdout");
    } else {
      Expected<Output> created = Output::create(name_);
      if (!created) return std::unexpected(created.error());
      out_.emplace(std::move(*created));
    }
  }
  return out_->write(text);
}

bool Product::is_terminal() const { return is_stdout() ? ::isatty(STDOUT_FILENO) == 1 : out_ && ::isatty(out_->fd()) == 1; }

}  // namespace thrum::mode
