// What an attack would do, in words: everything is read and checked as for the attack, and nothing is sent.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mode/attack.hpp"
#include "mode/open_attacker.hpp"

namespace thrum::mode {

// `opened` with request.dry_run; `load`: how much is sent, how fast.
std::string dry_run_text(std::string_view command, std::string_view load, const AttackRequest& request, const OpenedAttack& opened);

Expected<std::unique_ptr<Attack>> prepare_dry_run(AttackRequest request, AttackHooks hooks);

}  // namespace thrum::mode
