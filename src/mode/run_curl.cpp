#include "mode/run_curl.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/text.hpp"
#include "mode/standard_streams.hpp"
#include "settings/masking.hpp"
#include "targets/curl_command.hpp"

namespace thrum::mode {
namespace {

// Flags that have been given where `request` came from.
bool is_given(const RunRequest& request, std::string_view flag) {
  const auto& all = request.attack.typed;
  return std::ranges::any_of(all, [&](const auto& each) { return each.first == flag; });
}
bool is_typed(const RunRequest& request, std::string_view flag) {
  const auto typed = std::span(request.attack.typed).subspan(request.attack.settled);
  return std::ranges::any_of(typed, [&](const auto& each) { return each.first == flag; });
}

Expected<void> check_beside(const RunRequest& request) {
  constexpr std::array<std::string_view, 4> kOfTheRequest{"url", "method", "data", "header"};
  for (const std::string_view flag : kOfTheRequest)
    if (is_typed(request, flag))
      return usage_error(fmt::format("-{} is part of the request, and with -curl the command says it: write it into the command", flag));
  if (!request.curl.empty()) return {};
  if (::isatty(STDIN_FILENO) == 1)
    return usage_error("-curl has no command; write it behind --, as in thrum -curl -- curl http://127.0.0.1:18080/");
  return check_stdin();
}

}  // namespace

Expected<Target> take_curl(RunRequest& request, const std::function<void(std::string_view)>& say) {
  if (auto fine = check_beside(request); !fine) return std::unexpected(std::move(fine.error()));
  auto command = targets::read_curl(request.curl);
  if (!command) return std::unexpected(std::move(command.error()));
  Target& target = command->target;
  AttackOptions& o = request.attack.options;
  o.headers.clear();
  request.body.clear();
  request.url = target.url;
  request.method = target.method;
  const auto redirects = o.redirects;
  const bool compression = o.compression;
  targets::apply(command->settings, o);
  if (is_given(request, "redirects")) o.redirects = redirects;
  if (is_given(request, "compression")) o.compression = compression;
  if (command->settings.timeout) request.timeout = *command->settings.timeout;
  if (command->settings.says_proxy()) request.attack.heeds_environment = false;
  const auto names_agent = [](const auto& header) { return equal_ignoring_case(header.first, "User-Agent"); };
  if (std::ranges::any_of(target.headers, names_agent)) request.user_agent.clear();
  say(fmt::format("{} {}", printable(target.method), printable_prefix(settings::masked_url(target.url), 200)));
  for (const std::string& note : command->notes) say(note);
  return std::move(target);
}

}  // namespace thrum::mode
