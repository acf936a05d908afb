#include "mode/dry_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "mode/guarding.hpp"
#include "mode/open_attacker.hpp"
#include "mode/proxy_environment.hpp"
#include "settings/masking.hpp"

namespace thrum::mode {
namespace {

constexpr std::string_view kIndent = "                ";

std::string line(std::string_view what, std::string_view text) { return fmt::format("{:<16}{}\n", what, text); }

std::string load_text(const AttackRequest& request) {
  const AttackOptions& o = request.options;
  if (request.once) return "each target once, one after the other";
  std::string text;
  if (const auto most = most_hits(o))
    text = fmt::format("{} request{} at most", *most, *most == 1 ? "" : "s");
  else
    text = "no telling how many requests";
  text += o.shape.is_closed() ? ", as fast as answers come" : ", " + o.shape.text();
  if (o.duration > Nanos(0)) text += " for " + format_duration(o.duration);
  if (o.warmup > Nanos(0)) text += ", after a warm-up of " + format_duration(o.warmup);
  if (o.max_workers != kUnlimited) text += fmt::format(", {} in flight at most", o.max_workers);
  return printable(text);
}

std::string headers_text(const std::vector<std::pair<std::string, std::string>>& headers) {
  std::string text;
  for (const auto& [name, value] : headers)
    text += fmt::format("{}  {}: {}\n", kIndent, printable(name), printable_prefix(settings::masked_header_value(name, value), 200));
  return text;
}

std::string targets_text(const AttackRequest& request, const OpenedAttack& opened) {
  if (opened.shown.empty()) return line("Targets", fmt::format("read in the course of it from {}", printable(request.targets)));
  std::string text;
  for (const Target& target : opened.shown) {
    const std::size_t bytes = target.body ? target.body.size() : opened.body;
    text += line(text.empty() ? "Targets" : "",
                 fmt::format("{} {}{}", printable(target.method), printable_prefix(settings::masked_url(target.url), 200),
                             bytes == 0 ? "" : fmt::format(", a body of {} bytes", bytes)));
    text += headers_text(target.headers);
  }
  if (opened.targets > opened.shown.size()) text += line("", fmt::format("and {} more", opened.targets - opened.shown.size()));
  return text;
}

class DryRun final : public Attack {
 public:
  DryRun(AttackRequest request, AttackHooks hooks) : request_(std::move(request)), hooks_(std::move(hooks)) {}

  Expected<void> prepare() {
    if (request_.heeds_environment) add_environment(request_.options.proxy, environment_variable);
    if (auto checked = check(request_); !checked) return checked;
    if (auto open = check_targets_stream(request_); !open) return open;
    if (!request_.once)
      if (auto within = hold_to_guard(request_); !within) return within;
    const auto opened = open_attacker(request_);
    if (!opened) return std::unexpected(opened.error());
    text_ = dry_run_text("thrum attack", load_text(request_), request_, *opened);
    return {};
  }

  Expected<AttackEnd> run() override {
    if (auto printed = hooks_.print(text_); !printed) return std::unexpected(printed.error());
    return AttackEnd::done;
  }
  void stop() override {}
  void cut() override {}

 private:
  AttackRequest request_;
  AttackHooks hooks_;
  std::string text_;
};

}  // namespace

std::string dry_run_text(std::string_view command, std::string_view load, const AttackRequest& request, const OpenedAttack& opened) {
  std::string text = fmt::format("{} would send this; nothing is sent\n", command);
  text += line("Load", load) + targets_text(request, opened);
  if (!request.options.headers.empty()) text += line("To all of them", "") + headers_text(request.options.headers);
  if (request.guard.is_set()) text += line("Guard", request.guard.text());
  std::string flags;
  for (const auto& [flag, value] : request.typed)
    if (flag != "dry-run" && flag != "config")
      flags += fmt::format("{}-{}={}", flags.empty() ? "" : " ", flag, printable_prefix(settings::masked_flag(flag, value), 200));
  return text + line("Settings", flags);
}

Expected<std::unique_ptr<Attack>> prepare_dry_run(AttackRequest request, AttackHooks hooks) {
  auto dry = std::make_unique<DryRun>(std::move(request), std::move(hooks));
  if (auto ready = dry->prepare(); !ready) return std::unexpected(std::move(ready.error()));
  return std::unique_ptr<Attack>(std::move(dry));
}

}  // namespace thrum::mode
