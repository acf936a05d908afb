// What results and reports are told of an attack's targets: the order they are sent in, and which share each is to get.
#pragma once

#include <span>

#include "record/file_header.hpp"
#include "thrum/attacker.hpp"

namespace thrum::mode {

// Empty where nobody said anything of names, weights or order.
TargetMix mix_of(const AttackOptions& options, std::span<const Target> targets);

}  // namespace thrum::mode
