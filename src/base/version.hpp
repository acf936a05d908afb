// The version of this build, from the project's one place for it (the top CMakeLists.txt).
#pragma once

#include <string_view>

namespace thrum {

inline constexpr std::string_view kVersion = THRUM_VERSION;

}  // namespace thrum
