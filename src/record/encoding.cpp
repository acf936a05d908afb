#include "record/encoding.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/fd.hpp"
#include "record/recognise.hpp"

namespace thrum {

std::string_view name_of(Encoding e) {
  switch (e) {
    case Encoding::native:
      return "native";
    case Encoding::gob:
      return "gob";
    case Encoding::json:
      return "json";
    case Encoding::csv:
      return "csv";
  }
  return "?";
}

std::optional<Encoding> encoding_named(std::string_view s) {
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv})
    if (s == name_of(e)) return e;
  return std::nullopt;
}

std::optional<Encoding> encoding_of_file(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> head;
  const ssize_t n = fd.is_open() ? ::read(fd.get(), head.data(), head.size()) : -1;
  if (n <= 0) return std::nullopt;
  const auto found = recognise({head.data(), static_cast<std::size_t>(n)}, true);
  return found ? found->encoding : std::nullopt;
}

}  // namespace thrum
