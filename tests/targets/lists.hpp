// Target lists for tests: in memory, cut anywhere; or as a file in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "targets/targets.hpp"

namespace thrum::targets {

inline Expected<std::vector<Target>> read_text(std::string_view text, TargetFormat format, std::size_t step = 1 << 16) {
  const auto source = make_source(Input::text(text, "list", step), format, std::numeric_limits<std::size_t>::max());
  return drain(*source);
}

// What came of reading, as text: easy to compare, easy to read when it differs.
inline std::string outcome(const Expected<std::vector<Target>>& read) {
  if (!read) return "error: " + read.error().text;
  std::string out;
  for (const Target& t : *read) {
    out += t.method + " " + t.url + "\n";
    for (const auto& [name, value] : t.headers) out += name + ": " + value + "\n";
    if (t.body) out += "body: " + std::string(*t.body) + "\n";
    if (!t.name.empty()) out += "name: " + t.name + "\n";
    if (t.weight != 0) out += "weight: " + std::to_string(t.weight) + "\n";
  }
  return out;
}

// A folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "thrum-targets-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(std::string_view name) const { return (path_ / name).string(); }
  std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

}  // namespace thrum::targets
