#include "mode/open_attacker.hpp"

#include <unistd.h>

#include <algorithm>
#include <random>
#include <span>
#include <utility>

#include "mode/guarding.hpp"
#include "mode/standard_streams.hpp"
#include "mode/target_mix.hpp"

namespace thrum::mode {
namespace {

constexpr std::size_t kMostUrls = 16;
constexpr std::size_t kMostShown = 5;

std::int64_t body_bytes_kept(const AttackRequest& request) {
  constexpr std::int64_t kAll = -1;
  return request.max_body.value_or(request.capture_body ? kAll : 0);
}

// What a double holds exactly, so that it can be read back from JSON.
std::uint64_t any_seed() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32 | device()) >> 11;
}

Expected<void> set_seed(AttackRequest& request, Order order, AttackOptions& options) {
  if (options.shape.is_random() || order != Order::sequence)
    request.options.seed = options.seed = request.seed.value_or(any_seed());
  else if (request.seed)
    return seed_of_nothing();
  return {};
}

}  // namespace

std::unexpected<Error> seed_of_nothing() {
  return usage_error(
      "-seed is for what is drawn at random, and nothing is: neither by this -rate nor in the order of the targets; write "
      "-rate='poisson 100/s' or -order=shuffle, say");
}

bool is_stdin(const std::string& name) { return name == "stdin" || name == "-"; }

Expected<void> check_targets_stream(const AttackRequest& request) {
  if (!is_stdin(request.targets)) return {};
  if (::isatty(STDIN_FILENO) == 1)
    return usage_error(
        "no targets, as stdin is a terminal; write echo \"GET http://127.0.0.1:18080/\" | thrum attack ..., or -targets=FILE");
  return check_stdin();
}

Expected<OpenedAttack> open_attacker(AttackRequest& request, std::optional<Target> only) {
  AttackOptions options = request.options;
  options.max_body = body_bytes_kept(request);
  if (!request.body.empty()) {
    auto body = read_body_file(request.body);
    if (!body) return std::unexpected(std::move(body.error()));
    options.body = std::move(*body);
  }
  const std::string from = is_stdin(request.targets) ? "-" : request.targets;
  if (auto within = check_connect_to(request); !within) return std::unexpected(std::move(within.error()));
  if (request.guard.is_set()) options.boundary = &request.guard;
  OpenedAttack opened;
  opened.body = options.body.size();
  Expected<std::unique_ptr<Attacker>> attacker;
  if (request.lazy && !only) {
    auto source = stream_targets(from, request.format, {.weights = request.once});
    if (!source) return std::unexpected(std::move(source.error()));
    if (auto drawn = set_seed(request, Order::sequence, options); !drawn) return std::unexpected(std::move(drawn.error()));
    if (request.guard.has_hosts()) source = guarded(std::move(*source), request.guard);
    attacker = Attacker::create(std::move(options), std::move(*source));
  } else {
    auto targets = only ? std::vector<Target>{std::move(*only)} : read_targets(from, request.format);
    if (!targets) return std::unexpected(std::move(targets.error()));
    if (auto drawn = set_seed(request, order_of(options, *targets), options); !drawn) return std::unexpected(std::move(drawn.error()));
    for (const Target& target : *targets)
      if (auto within = check_target(request.guard, target); !within) return std::unexpected(std::move(within.error()));
    opened.mix = mix_of(options, *targets);
    opened.targets = targets->size();
    if (request.dry_run)
      opened.shown.assign(targets->begin(), targets->begin() + static_cast<std::ptrdiff_t>(std::min(targets->size(), kMostShown)));
    for (const Target& target : std::span(*targets).first(std::min(targets->size(), kMostUrls))) opened.urls.push_back(target.url);
    opened.ignores_weights =
        order_of(options, *targets) != Order::weighted && std::ranges::any_of(*targets, [](const Target& t) { return t.weight != 0; });
    attacker = Attacker::create(std::move(options), std::move(*targets));
  }
  if (!attacker) return std::unexpected(std::move(attacker.error()));
  opened.attacker = std::move(*attacker);
  return opened;
}

}  // namespace thrum::mode
