// Whose limit a run met, and why: in one sentence with its figures, the same for every type of report. What held hits back is
// measured while they are sent (Summary::limit); that answers fell behind is seen in their latencies. Both meet here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/input.hpp"

namespace thrum::report {

enum class Whose : std::uint8_t { nobody, target, network, thrum };
// "target"; empty for nobody.
std::string_view name_of(Whose whose);

struct Bottleneck {
  Whose whose = Whose::nobody;  // thrum: this machine and what was asked of thrum, too
  std::string what;             // "-max-workers (2)"; empty: nothing to tell
  std::string details;          // "; about 20 would have been enough at the latency seen"
};

// Of hits that could not leave, as a run's own process knows it at its end.
Bottleneck bottleneck(const Summary& summary);
// Of answers, too.
Bottleneck bottleneck(const RunInput& run);

// "thrum: -max-workers (2); about …", "the target: …"; empty when there is nothing to tell.
std::string sentence(const Bottleneck& b);
// The same where it is clear that thrum speaks of itself.
std::string plain_words(const Bottleneck& b);

// Of several runs each limit once, with the names of those that met it.
std::string limit_sentence(std::span<const RunInput> runs);
// Whose it was in all runs that met one; empty: nobody's, or not the same.
std::string_view limited_by(std::span<const RunInput> runs);

}  // namespace thrum::report
