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
// A body file, from its start. A large regular file is mapped, whatever its size; all else is read, at most kLargestBody bytes.
// Standard input where `path` says so.
Expected<SharedBytes> read_body(const std::string& path, std::string_view what);
Expected<SharedBytes> read_body(Fd file, const std::string& path, std::string_view what);

inline constexpr std::size_t kLargestBody = std::size_t{1} << 30;

}  // namespace thrum::targets
