#include "profile/stack.hpp"

#include <unwind.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace thrum::profile {
namespace {

// By the unwinder of the language: it goes through libraries that keep no frame pointers.
_Unwind_Reason_Code take_frame(_Unwind_Context* frame, void* to) {
  Stack& stack = *static_cast<Stack*>(to);
  if (stack.depth == Stack::kDeepest) return _URC_END_OF_STACK;
  int is_exact = 0;
  const std::uintptr_t pc = _Unwind_GetIPInfo(frame, &is_exact);
  if (pc == 0) return _URC_END_OF_STACK;
  stack.calls[stack.depth++] = pc;
  return _URC_NO_REASON;
}

}  // namespace

[[gnu::noinline]] Stack from(std::uintptr_t pc) {
  Stack stack;
  _Unwind_Backtrace(take_frame, &stack);
  const auto end = stack.calls.begin() + static_cast<std::ptrdiff_t>(stack.depth);
  const auto first = std::find(stack.calls.begin(), end, pc);
  if (first == end) {  // not to be unwound from here
    stack.calls[0] = pc;
    stack.depth = 1;
    return stack;
  }
  std::copy(first, end, stack.calls.begin());
  stack.depth = static_cast<std::size_t>(end - first);
  return stack;
}

void prepare_stacks() { (void)from(0); }

std::string mappings() {
  std::ifstream maps("/proc/self/maps");
  return {std::istreambuf_iterator<char>(maps), {}};
}

}  // namespace thrum::profile
