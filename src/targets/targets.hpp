// Room targets: where targets come from. It must not know sending: a list becomes Targets, checked, and that is all.
//
// The seam for other rooms is thrum/targets.hpp; this is what tests and fuzzers need besides.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "targets/input.hpp"
#include "thrum/targets.hpp"

namespace thrum::targets {

// At most `bodies_kept` bytes of body files are remembered for targets to come.
std::unique_ptr<TargetSource> make_source(Input input, TargetFormat format, std::size_t bodies_kept, TargetRules rules = {});
// All that a source still gives.
Expected<std::vector<Target>> drain(TargetSource& source);

}  // namespace thrum::targets
