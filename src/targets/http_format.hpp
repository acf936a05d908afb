// The http format: pragmas, a line `METHOD URL`, then header lines, then `@file` for the body. Read line by line, a target given as
// soon as its end is seen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "targets/body_files.hpp"
#include "targets/input.hpp"
#include "thrum/target.hpp"
#include "thrum/targets.hpp"

namespace thrum::targets {

class HttpTargets final : public TargetSource {
 public:
  HttpTargets(Input input, BodyFiles bodies, TargetRules rules) : input_(std::move(input)), bodies_(std::move(bodies)), rules_(rules) {}

  Expected<bool> next(Target& into) override;
  void interrupt() override { input_.interrupt(); }

 private:
  enum class Before : std::uint8_t { nothing, blank_line, body, pragma };  // what a target line follows

  Expected<bool> look();
  void drop();
  bool is_comment() const { return line_.starts_with('#'); }
  Expected<void> pragma(Target& into);
  Expected<void> target_line(Target& into);
  Expected<void> rest_of_target(Target& into);
  Expected<void> header_line(Target& into, std::size_t& count);
  std::unexpected<Error> fault(std::string text) const;
  std::unexpected<Error> no_target_line() const;
  Expected<bool> end();

  Input input_;
  BodyFiles bodies_;
  TargetRules rules_;
  std::string_view line_;      // the line looked at, trimmed; in input_'s buffer
  std::size_t length_ = 0;     // its bytes with its end, 0: none looked at
  std::uint64_t number_ = 0;   // its number, from 1
  std::uint64_t targets_ = 0;  // given so far
  std::uint64_t pragma_ = 0;   // the line of the last pragma for a target to come, 0: none
  std::size_t size_ = 0;       // bytes of the target being read
  Before before_ = Before::nothing;
};

}  // namespace thrum::targets
