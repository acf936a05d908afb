// What an attack makes of its results: a file or stream of records or, where stdout is a terminal, figures for a report.
#pragma once

#include <memory>
#include <string_view>

#include "mode/attack.hpp"
#include "record/file_header.hpp"
#include "thrum/attacker.hpp"

namespace thrum::mode {

class AttackProduct : public ResultSink {
 public:
  // take() gets results all of the warm-up, or none of it.
  virtual void change(const Event& event) = 0;  // of the rate, or an early end
  virtual Expected<void> finish(const Summary& summary) = 0;
  // Whether its reader is told how the rate was kept, so that nobody else has to say so.
  virtual bool tells_limits() const = 0;
};

// The records go where request.output says, the report to hooks.print. Opens the output.
Expected<std::unique_ptr<AttackProduct>> open_product(const AttackRequest& request, const TargetMix& mix, const AttackHooks& hooks);

}  // namespace thrum::mode
