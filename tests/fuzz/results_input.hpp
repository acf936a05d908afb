// For the fuzz targets of results: bytes read as a file by the reader, every row looked at to its last byte.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "record/encoder.hpp"
#include "record/reader.hpp"
#include "require.hpp"

namespace thrum::fuzz {

struct ReadBack {
  std::string as_json;  // all results, as JSON lines
  std::size_t count = 0;
  bool damaged = false;
  std::string error;
};

inline ReadBack read_results(std::string_view bytes, bool strict = false) {
  ReadBack back;
  const int fd = ::memfd_create("results", 0);
  require(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::lseek(fd, 0, SEEK_SET);
  const auto encoder = make_encoder(Encoding::json);
  if (auto reader = open_results(fd, "input", {.strict = strict})) {
    for (;;) {
      const auto rows = (*reader)->next();
      if (!rows) back.error = rows.error().text;
      if (!rows || rows->empty()) break;
      encoder->append(*rows, back.as_json);
      back.count += rows->size();
    }
    back.damaged = !(*reader)->damage().empty();
    for (const Damage& d : (*reader)->damage()) require(d.warning().find('\n') == std::string::npos);
  } else {
    back.error = reader.error().text;
  }
  ::close(fd);
  require(back.error.find('\n') == std::string::npos);
  require(back.count == 0 || back.error.empty() || strict);
  return back;
}

inline std::string_view text(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

}  // namespace thrum::fuzz
