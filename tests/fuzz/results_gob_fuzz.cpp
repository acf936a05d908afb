// gob: any bytes give results or one line, and what was read can be written and read again.
#include "results_input.hpp"

using namespace thrum;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = fuzz::read_results(fuzz::text(data, size));
  if (read.count == 0) return 0;
  const auto again = fuzz::read_results(read.as_json);
  fuzz::require(again.count == read.count && !again.damaged);
  return 0;
}
