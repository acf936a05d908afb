// `attack -once`: each target is sent one time, and the exchange is printed as it went over the wire, for people who ask what is
// sent and what comes back.
#pragma once

#include <memory>

#include "mode/attack.hpp"

namespace thrum::mode {

// Errors: those of check(), and whatever is wrong with the targets.
Expected<std::unique_ptr<Attack>> prepare_once(AttackRequest request, AttackHooks hooks);

}  // namespace thrum::mode
