#include "mode/run_snapshot.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "mode/product.hpp"
#include "record/output.hpp"

namespace thrum::mode {

Expected<void> RunSnapshot::check() const {
  std::error_code failed;
  const auto status = std::filesystem::status(file_, failed);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return usage_error(fmt::format("-snapshot={} is no plain file, and could not be replaced at once: name another", printable(file_)));
  return Product(file_, {}, false, "-snapshot").check();
}

bool RunSnapshot::is_due(Nanos elapsed) {
  if (elapsed < due_) return false;
  due_ = (elapsed / every_ + 1) * every_;
  return true;
}

Expected<void> RunSnapshot::write(std::string_view text) const {
  // A link stays one: what it leads to is replaced.
  std::error_code no_link;
  const auto path = std::filesystem::weakly_canonical(file_, no_link);
  const std::string to = no_link ? file_ : path.string(), beside = to + ".tmp";
  {
    auto out = Output::create(beside);
    if (!out) return std::unexpected(out.error());
    if (auto written = out->write(text); !written) {
      std::remove(beside.c_str());
      return written;
    }
  }
  if (std::rename(beside.c_str(), to.c_str()) == 0) return {};
  const int why = errno;
  std::remove(beside.c_str());
  return failure(fmt::format("can't write -snapshot={}: {}", printable(file_), std::strerror(why)));
}

}  // namespace thrum::mode
