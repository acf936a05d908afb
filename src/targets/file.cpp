#include "targets/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/mapped_file.hpp"
#include "base/text.hpp"

namespace thrum::targets {
namespace {

std::unexpected<Error> file_error(std::string_view what, const std::string& path, int code) {
  std::string text = fmt::format("{} \"{}\": {}", what, printable(path), lower(std::generic_category().message(code)));
  if (code != ENOENT) return failure(std::move(text));
  text = fmt::format("{} \"{}\": no such file", what, printable(path));
  if (const std::string near = path.empty() ? "" : nearest_file(path); !near.empty())
    text += fmt::format("; did you mean \"{}\"?", printable(near));
  return failure(std::move(text));
}

}  // namespace

bool is_standard_input(std::string_view file) { return file == "-" || file == "stdin"; }

Expected<Fd> open_file(const std::string& path, std::string_view what, int flags) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags));
  if (!fd.is_open()) return file_error(what, path, errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return file_error(what, path, errno);
  if (S_ISDIR(status.st_mode)) return file_error(what, path, EISDIR);
  return fd;
}

namespace {

Expected<SharedBytes> read_whole(int fd, const std::string& path, std::string_view what) {
  std::string bytes;
  struct stat status{};
  std::size_t chunk = 64 * 1024;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
    chunk = std::min<std::size_t>(static_cast<std::size_t>(status.st_size) + 1, kLargestBody + 1);
  for (;;) {
    const std::size_t had = bytes.size();
    bytes.resize(had + chunk);
    const ssize_t n = ::read(fd, bytes.data() + had, chunk);
    const int code = errno;
    bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n == 0) break;
    if (n < 0 && code == EAGAIN) {  // somebody else made a shared descriptor non-blocking
      pollfd wait{fd, POLLIN, 0};
      ::poll(&wait, 1, -1);
    } else if (n < 0 && code != EINTR) {
      return file_error(what, path, code);
    }
    if (bytes.size() > kLargestBody) return failure(fmt::format("{} \"{}\": more than 1 GiB", what, printable(path)));
    if (n > 0) chunk = 64 * 1024;
  }
  bytes.shrink_to_fit();
  return std::make_shared<const std::string>(std::move(bytes));
}

}  // namespace

Expected<SharedBytes> read_body(Fd file, const std::string& path, std::string_view what) {
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && std::cmp_greater_equal(status.st_size, MappedFile::kWorthMapping)) {
    Fd own(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
    if (auto mapped = own.is_open() ? MappedFile::map(std::move(own), static_cast<std::size_t>(status.st_size)) : nullptr)
      return SharedBytes(mapped->bytes(), mapped);
  }
  return read_whole(file.get(), path, what);
}

Expected<SharedBytes> read_body(const std::string& path, std::string_view what) {
  if (is_standard_input(path)) return read_whole(STDIN_FILENO, path, what);
  auto fd = open_file(path, what);
  if (!fd) return std::unexpected(std::move(fd.error()));
  return read_body(std::move(*fd), path, what);
}

}  // namespace thrum::targets
