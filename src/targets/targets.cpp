#include "targets/targets.hpp"

#include <fmt/format.h>

#include <limits>

#include "base/text.hpp"
#include "targets/body_files.hpp"
#include "targets/file.hpp"
#include "targets/http_format.hpp"
#include "targets/json_format.hpp"

namespace thrum::targets {

std::unique_ptr<TargetSource> make_source(Input input, TargetFormat format, std::size_t bodies_kept, TargetRules rules) {
  if (format == TargetFormat::json) return std::make_unique<JsonTargets>(std::move(input), rules);
  BodyFiles bodies(input.folder(), bodies_kept);
  return std::make_unique<HttpTargets>(std::move(input), std::move(bodies), rules);
}

Expected<std::vector<Target>> drain(TargetSource& source) {
  std::vector<Target> targets;
  for (;;) {
    Target target;
    const auto more = source.next(target);
    if (!more) return std::unexpected(more.error());
    if (!*more) return targets;
    targets.push_back(std::move(target));
  }
}

}  // namespace thrum::targets

namespace thrum {
namespace {

constexpr std::size_t kEveryBody = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kBodiesKeptInStream = std::size_t{64} << 20;

}  // namespace

Expected<TargetFormat> parse_target_format(std::string_view text) {
  if (text == "http") return TargetFormat::http;
  if (text == "json") return TargetFormat::json;
  return failure(fmt::format("format \"{}\" is not one of http, json", printable_prefix(text, 40)));
}

Expected<std::unique_ptr<TargetSource>> stream_targets(const std::string& file, TargetFormat format, TargetRules rules) {
  auto input = targets::Input::open(file);
  if (!input) return std::unexpected(std::move(input.error()));
  return targets::make_source(std::move(*input), format, kBodiesKeptInStream, rules);
}

Expected<std::vector<Target>> read_targets(const std::string& file, TargetFormat format) {
  auto input = targets::Input::open(file);
  if (!input) return std::unexpected(std::move(input.error()));
  return targets::drain(*targets::make_source(std::move(*input), format, kEveryBody));
}

Expected<std::vector<Target>> parse_targets(std::string_view text, TargetFormat format) {
  return targets::drain(*targets::make_source(targets::Input::text(text, "targets"), format, kEveryBody));
}

Expected<SharedBytes> read_body_file(const std::string& path) { return targets::read_body(path, "body file"); }

}  // namespace thrum
