#include "mode/open_attacker.hpp"

#include <unistd.h>

#include "mode/standard_streams.hpp"

namespace thrum::mode {
namespace {

std::int64_t body_bytes_kept(const AttackRequest& request) {
  constexpr std::int64_t kAll = -1;
  return request.max_body.value_or(request.capture_body ? kAll : 0);
}

}  // namespace

bool is_stdin(const std::string& name) { return name == "stdin" || name == "-"; }

Expected<void> check_targets_stream(const AttackRequest& request) {
  if (!is_stdin(request.targets)) return {};
  if (::isatty(STDIN_FILENO) == 1)
    return usage_error(
        "no targets, as stdin is a terminal; write echo \"GET http://127.0.0.1:18080/\" | thrum attack ..., or -targets=FILE");
  return check_stdin();
}

Expected<std::unique_ptr<Attacker>> open_attacker(const AttackRequest& request, const std::string& url) {
  AttackOptions options = request.options;
  options.max_body = body_bytes_kept(request);
  if (!request.body.empty()) {
    auto body = read_body_file(request.body);
    if (!body) return std::unexpected(std::move(body.error()));
    options.body = std::move(*body);
  }
  if (!url.empty()) return Attacker::create(std::move(options), std::vector<Target>{{"GET", url, {}, nullptr}});
  const std::string from = is_stdin(request.targets) ? "-" : request.targets;
  if (request.lazy) {
    auto source = stream_targets(from, request.format);
    if (!source) return std::unexpected(std::move(source.error()));
    return Attacker::create(std::move(options), std::move(*source));
  }
  auto targets = read_targets(from, request.format);
  if (!targets) return std::unexpected(std::move(targets.error()));
  return Attacker::create(std::move(options), std::move(*targets));
}

}  // namespace thrum::mode
