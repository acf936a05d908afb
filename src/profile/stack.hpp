// The calls that led to where a thread is, and the files that their addresses belong to, as profiles name them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace thrum::profile {

struct Stack {
  static constexpr std::size_t kDeepest = 64;
  std::array<std::uintptr_t, kDeepest> calls;  // innermost first; behind the first, where calls return to
  std::size_t depth = 0;
  std::span<const std::uintptr_t> used() const { return std::span(calls).first(depth); }
};

// The stack from the frame on that is at `pc`, without those that it has called: where a signal has interrupted it, or where a
// call will return to. Allocates nothing.
Stack from(std::uintptr_t pc);
// To be called once before a handler does: what is found out at first need is found out now.
void prepare_stacks();

// /proc/self/maps, which readers of profiles need to find symbols.
std::string mappings();

}  // namespace thrum::profile
