// What a run is, from what was typed and what was not.
#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "http/url.hpp"
#include "mode/run.hpp"
#include "mode/standard_streams.hpp"
#include "targets/url_guess.hpp"
#include "thrum/targets.hpp"

namespace thrum::mode {
namespace {

Expected<void> settle_url(RunRequest& request) {
  if (request.url.empty()) return usage_error("say which URL to send to, as in thrum run http://127.0.0.1:18080/");
  const auto url = http::parse_url(request.url);
  if (!url) return usage_error(url.error().text);
  return {};
}

// What ends it: a time or a number, or the rate's own end.
Expected<void> settle_length(RunRequest& request) {
  AttackOptions& o = request.attack.options;
  if (request.number && request.duration)
    return usage_error(
        fmt::format("-n={} and -z={} both say when the run ends; leave one out", *request.number, format_duration(*request.duration)));
  if (request.duration && *request.duration == Nanos(0)) return usage_error("-z=0s would send nothing; give a time, as in -z=30s");
  if (request.duration) o.duration = *request.duration;
  const bool ends_by_itself = o.shape.length().has_value();
  if (request.number || (!request.duration && !ends_by_itself)) o.hits = request.number.value_or(RunRequest::kNumber);
  return {};
}

Expected<void> settle_concurrency(RunRequest& request, std::uint32_t cores) {
  AttackOptions& o = request.attack.options;
  if (request.concurrency && o.shape.is_closed() && o.hits != kUnlimited && *request.concurrency > o.hits)
    return usage_error(
        fmt::format("-c={} requests at once are more than -n={} in all; lower -c, or raise -n", *request.concurrency, o.hits));
  if (request.concurrency)
    o.max_workers = *request.concurrency;
  else if (o.shape.is_closed())
    o.max_workers = std::min<std::uint64_t>(std::max(1u, cores), o.hits);
  o.workers = std::min(o.workers, o.max_workers);
  return {};
}

void settle_user_agent(RunRequest& request) {
  auto& headers = request.attack.options.headers;
  const bool is_given = std::ranges::any_of(headers, [](const auto& h) { return equal_ignoring_case(h.first, "User-Agent"); });
  if (!request.user_agent.empty() && !is_given) headers.emplace_back("User-Agent", request.user_agent);
}

Expected<SharedBytes> read_body(const std::string& text) {
  if (!text.starts_with('@')) return SharedBytes(std::make_shared<const std::string>(text));
  if (text == "@-") {
    if (auto open = check_stdin(); !open) return std::unexpected(open.error());
    return read_body_file("/dev/stdin");
  }
  return read_body_file(text.substr(1));
}

}  // namespace

std::string successes_of(const RunRequest& request) {
  const std::string& expected = request.attack.options.expect.status;
  return expected.empty() ? "2xx" : expected;
}

Expected<void> settle(RunRequest& request, std::uint32_t cores) {
  AttackRequest& attack = request.attack;
  attack.options.shape = request.rate.value_or(Shape::closed());
  attack.options.timeout = request.timeout;
  attack.latency = LatencyClock::response;
  attack.success = successes_of(request);
  if (auto fine = settle_url(request); !fine) return fine;
  if (auto fine = settle_length(request); !fine) return fine;
  if (auto fine = settle_concurrency(request, cores); !fine) return fine;
  if (attack.strict_rate && attack.options.shape.is_closed())
    return usage_error("-strict-rate is about a rate that is kept or not: give one too, as in -rate=100/s");
  settle_user_agent(request);
  return {};
}

Expected<Target> target_of(const RunRequest& request) {
  Target target{.method = request.method, .url = request.url};
  if (request.body.empty()) return target;
  auto body = read_body(request.body);
  if (!body) return std::unexpected(std::move(body.error()));
  target.body = std::move(*body);
  return target;
}

std::string load_words(const RunRequest& request) {
  const AttackOptions& o = request.attack.options;
  std::string out;
  if (o.hits != kUnlimited) out = fmt::format("{} request{}", o.hits, o.hits == 1 ? "" : "s");
  if (!o.shape.is_closed()) out += fmt::format("{}at {}", out.empty() ? "" : " ", o.shape.text());
  if (o.duration > Nanos(0)) out += fmt::format("{}for {}", out.empty() ? "" : " ", format_duration(o.duration));
  if (o.max_workers != kUnlimited) out += fmt::format(", {}{} at once", o.shape.is_closed() ? "" : "at most ", o.max_workers);
  return out;
}

}  // namespace thrum::mode
