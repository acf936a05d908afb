// From what a person asked for to an attacker of the library: targets and body are read, or opened to be read.
#pragma once

#include <memory>
#include <string>

#include "mode/attack.hpp"
#include "thrum/attacker.hpp"

namespace thrum::mode {

bool is_stdin(const std::string& name);
// No terminal is waited at for targets.
Expected<void> check_targets_stream(const AttackRequest& request);
// `url`, if not empty, is got instead of the targets.
Expected<std::unique_ptr<Attacker>> open_attacker(const AttackRequest& request, const std::string& url = {});

}  // namespace thrum::mode
