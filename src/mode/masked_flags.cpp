#include "mode/masked_flags.hpp"

#include "settings/masking.hpp"

namespace thrum::mode {

std::string masked_url(std::string_view url) { return settings::masked_url(url); }

TypedFlags masked(TypedFlags typed) {
  for (auto& [flag, value] : typed) value = settings::masked_flag(flag, value);
  return typed;
}

}  // namespace thrum::mode
