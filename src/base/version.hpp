// Which thrum this is: the version from the project's one place for it (the top CMakeLists.txt), the rest as it was when the
// build was configured (cmake/Version.cmake).
#pragma once

#include <string_view>

namespace thrum {

inline constexpr std::string_view kVersion = THRUM_VERSION;

// Functions, so that only one file is compiled again when a commit is made.
std::string_view commit();      // the full hash, or "unknown"
std::string_view runtime();     // compiler and platform: "g++ 12.2.0 linux/x86_64"
std::string_view build_date();  // "2026-01-31", UTC; SOURCE_DATE_EPOCH decides where it is set

}  // namespace thrum
