#include "mode/encode.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/text.hpp"
#include "mode/same_file.hpp"
#include "mode/standard_streams.hpp"
#include "record/output.hpp"
#include "record/reader.hpp"
#include "record/transcode.hpp"

namespace thrum::mode {
namespace {

bool is_standard_output(const std::string& name) { return name == "stdout" || name == "-"; }

// Whether writing to the output would destroy an input, or results that nobody asked to replace.
Expected<void> check_output(const EncodeOptions& options) {
  if (options.csv_header && options.to != Encoding::csv)
    return usage_error(fmt::format("-csv-header is for -to=csv, not for -to={}", name_of(options.to)));
  if (is_standard_output(options.output)) {
    const bool is_binary = options.to == Encoding::native || options.to == Encoding::gob;
    if (is_binary && ::isatty(STDOUT_FILENO) == 1)
      return usage_error(
          fmt::format("{} is binary and stdout is a terminal: name a file, as in -output=FILE, or write -to=json", name_of(options.to)));
    return check_stdout();
  }
  const std::vector<std::string> inputs = options.inputs.empty() ? std::vector<std::string>{"stdin"} : options.inputs;
  for (const std::string& input : inputs)
    if (is_same_file(options.output, input))
      return usage_error(fmt::format("-output={} is one of the inputs: name another file", printable(options.output)));
  const auto there = encoding_of_file(options.output);
  if (there && !options.force)
    return usage_error(
        fmt::format("-output={} holds results ({}): name another file, or add -force", printable(options.output), name_of(*there)));
  return {};
}

}  // namespace

Expected<std::uint64_t> run_encode(const EncodeOptions& options, const EncodeHooks& hooks) {
  if (const auto checked = check_output(options); !checked) return std::unexpected(checked.error());
  const auto order = options.to == Encoding::native ? ReaderOptions::Order::bulk : ReaderOptions::Order::in_turn;
  auto reader = open_results(options.inputs, {.strict = options.strict, .warmup = options.to == Encoding::native, .order = order});
  if (!reader) return std::unexpected(reader.error());
  for (const std::string& repeat : (*reader)->repeats()) hooks.warn(repeat);

  Expected<Output> output = Output(STDOUT_FILENO, "stdout");
  if (!is_standard_output(options.output)) output = Output::create(options.output);
  if (!output) return std::unexpected(output.error());
  const auto count = transcode(**reader, options.to, {.csv_header = options.csv_header}, *output);
  for (const Damage& d : (*reader)->damage()) {
    const bool is_the_error = !count && count.error().text.starts_with(fmt::format("{}: byte {}:", printable(d.file), d.offset));
    if (!is_the_error) hooks.warn(d.warning());
  }
  return count;
}

}  // namespace thrum::mode
