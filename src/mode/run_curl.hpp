// A command of curl in a run's place of URL, method, headers and body (-curl).
#pragma once

#include <functional>
#include <string_view>

#include "mode/run.hpp"
#include "thrum/error.hpp"
#include "thrum/target.hpp"

namespace thrum::mode {

// Reads what request.curl has (or stdin), and puts it into `request`: URL and method, and how it is sent. What files of settings say of
// the request gives way; what was typed of it beside the command is an error. `say`: the request in a line, then what is not as with
// curl, a line each.
Expected<Target> take_curl(RunRequest& request, const std::function<void(std::string_view)>& say);

}  // namespace thrum::mode
