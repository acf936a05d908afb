// From what a person asked for to an attacker of the library: targets and body are read, or opened to be read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mode/attack.hpp"
#include "record/file_header.hpp"
#include "thrum/attacker.hpp"

namespace thrum::mode {

bool is_stdin(const std::string& name);
// No terminal is waited at for targets.
Expected<void> check_targets_stream(const AttackRequest& request);
// A seed that was given though nothing is drawn.
std::unexpected<Error> seed_of_nothing();

struct OpenedAttack {
  std::unique_ptr<Attacker> attacker;
  TargetMix mix;
  std::vector<std::string> urls;  // of the first targets, a few; none if they are read in the course of the attack
  std::vector<Target> shown;      // the first targets, for a dry run
  std::size_t body = 0;           // bytes of what targets without a body of their own send
  std::size_t targets = 0;        // how many there are; 0: they are read in the course of the attack
  bool ignores_weights = false;   // targets have some, and the order asked for is another
};
// `only`, if given, is sent instead of the targets. Sets request.options.seed where anything is drawn: to what was asked for, or to
// any number. Errors: also a seed that is for nothing.
Expected<OpenedAttack> open_attacker(AttackRequest& request, std::optional<Target> only = std::nullopt);

}  // namespace thrum::mode
