// The plot page without its data: web/plot as built by esbuild, embedded by web/CMakeLists.txt. {{title}} and {{data}} stand
// where those belong.
#pragma once

#include <string_view>

namespace thrum::report {

std::string_view plot_template();

}  // namespace thrum::report
