// One input on its way to results: what every decoder is given and what it reports to. One decoder class per encoding.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "record/byte_source.hpp"
#include "record/reader.hpp"

namespace thrum {

// No record is longer than this: a length beyond it is damage, and no reader takes more memory than a few times this.
inline constexpr std::size_t kLongestRecord = std::size_t{256} << 20;

// What the inputs of one reader have in common.
struct Findings {
  std::vector<std::unique_ptr<Run>> runs;
  std::vector<Damage> damage;  // one entry per input that has any
};

struct Input {
  Input(ByteSource s, Findings& f) : source(std::move(s)), findings(&f) {}

  // Notes damage at `at` (an offset of the input): `bytes` were passed over because of `what`. With strict, it is the failure.
  void damaged(std::uint64_t at, std::uint64_t bytes, std::string what);
  bool is_damaged() const { return damage_index.has_value(); }
  Run& begin_run(Encoding encoding);

  ByteSource source;
  Findings* findings;
  bool strict = false;
  bool starved = true;  // what is in the window is no whole record: next() would have to read
  Run* run = nullptr;   // the one begun last
  std::optional<std::size_t> damage_index;
  std::optional<Error> failure;  // what ends the reading, once the results before it are handed out
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  // The next results; empty: the end, or Input::failure. They live until the next call.
  virtual std::span<const Result> next() = 0;
};

std::unique_ptr<Decoder> make_native_decoder(Input& input);
std::unique_ptr<Decoder> make_gob_decoder(Input& input);
std::unique_ptr<Decoder> make_json_decoder(Input& input);
std::unique_ptr<Decoder> make_csv_decoder(Input& input);

// How a hit ended, for encodings that don't say: vegeta's rule for success, and a phase nobody knows for the rest. That an
// expectation was not met shows in thrum's own words for it alone.
inline Outcome outcome_of(std::uint16_t code, std::string_view error) {
  if (error.starts_with("expectation: ")) return Outcome::expectation;
  if (code == 0) return Outcome::unknown;
  return code >= 200 && code < 400 ? Outcome::ok : Outcome::bad_status;
}

}  // namespace thrum
