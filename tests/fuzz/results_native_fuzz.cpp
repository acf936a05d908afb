// Native results: any file gives results or one line; a block's payload past its check gives rows or none.
#include <algorithm>

#include "record/byte_source.hpp"
#include "record/native_block.hpp"
#include "results_input.hpp"

using namespace thrum;

namespace {

void read_payload(std::string_view payload) {
  const std::string padded = std::string(payload) + std::string(ByteSource::kSlack, '\0');
  native::StringReader strings;
  native::ResultsBlock block;
  if (!block.open(std::string_view(padded).substr(0, payload.size()), strings)) return;
  std::vector<Result> all;
  const auto json = make_encoder(Encoding::json), again = make_encoder(Encoding::native);
  std::string out, first, second;
  again->begin({}, out);
  while (block.rows_left() != 0) {
    const auto rows = block.next_rows();
    if (rows.empty()) return;
    json->append(rows, first);
    again->append(rows, out);
  }
  again->flush(out);
  second = fuzz::read_results(out).as_json;
  fuzz::require(first == second);  // what was read can be written and read again
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto bytes = fuzz::text(data, size);
  if (bytes[0] == '\x93' || bytes[0] == 'F')
    fuzz::read_results(bytes[0] == 'F' ? bytes.substr(1) : bytes);
  else
    read_payload(bytes.substr(1));
  return 0;
}
