// A folder for what comes of named runs (-out-dir): for each its results, its report and a plot, and a plot of all of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "mode/run.hpp"
#include "thrum/error.hpp"

namespace thrum::mode {

// Before anything is sent. Names become those of files.
Expected<void> make_folder(const std::string& folder, std::span<const std::string> runs);
// What `request` leaves behind is to go there, unless it names another file.
void put_into_folder(RunRequest& request, const std::string& folder, const std::string& run);
// Of runs that are over: NAME.html from NAME.bin. `all`: of all of them together, all.html.
Expected<void> plot_run(const std::string& folder, const std::string& run, const std::function<void(std::string_view)>& warn);
Expected<void> plot_runs(const std::string& folder, std::span<const std::string> runs, const std::function<void(std::string_view)>& warn);

}  // namespace thrum::mode
