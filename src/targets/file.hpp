// Opening and reading files that a person named, with errors that help.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "thrum/error.hpp"
#include "thrum/target.hpp"

namespace thrum::targets {

// "-", and "stdin" because vegeta's default is called so.
bool is_standard_input(std::string_view file);

// Opens for reading. `what` is what the file is to the user ("targets file"); a name that does not exist brings the nearest
// that does; folders are refused.
// `flags`: further ones for open(2).
Expected<Fd> open_file(const std::string& path, std::string_view what, int flags = 0);
// A whole file, at most kLargestBody bytes. Standard input where `path` says so.
Expected<SharedBytes> read_whole(const std::string& path, std::string_view what);
// What is left to read of a descriptor.
Expected<SharedBytes> read_whole(int fd, const std::string& path, std::string_view what);

inline constexpr std::size_t kLargestBody = std::size_t{1} << 30;

}  // namespace thrum::targets
