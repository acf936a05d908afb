#include "mode/steering.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "mode/guarding.hpp"
#include "ui/progress_line.hpp"

namespace thrum::mode {
namespace {

constexpr std::string_view kError = "error: ";
constexpr std::string_view kCommands = "rate RATE, pause, resume, stop, cut, status";

}  // namespace

Expected<std::unique_ptr<Steering>> Steering::open(const std::string& path, Attacker& attacker, bool is_closed,
                                                   const settings::Guard& guard, std::function<void(Event)> changed) {
  std::unique_ptr<Steering> steering(new Steering(attacker, is_closed, guard, std::move(changed)));
  auto socket = ui::ControlSocket::open(path, "-control", [s = steering.get()](std::string_view line) { return s->answer(line); });
  if (!socket) return std::unexpected(socket.error());
  steering->socket_ = std::move(*socket);
  return steering;
}

std::string Steering::answer(std::string_view line) {
  const std::size_t blank = line.find(' ');
  const std::string_view word = line.substr(0, blank), rest = blank == line.npos ? "" : trim(line.substr(blank));
  if (word == "rate" && !rest.empty()) {
    auto shape = parse_shape(rest);
    if (!shape) return std::string(kError) + shape.error().text;
    if (const auto allowed = guard_.check_rate(peak_of(*shape)); !allowed) return std::string(kError) + allowed.error().text;
    const std::string text = shape->text();
    return done(attacker_.change_rate(std::move(*shape)), "rate", text);
  }
  if (!rest.empty() || word.empty() || word == "rate")
    return fmt::format("{}\"{}\" is none of {}", kError, printable_prefix(line, 60), kCommands);
  if (word == "pause") return done(attacker_.pause(), "pause", "");
  if (word == "resume") return done(attacker_.resume(), "resume", "");
  if (word == "status") return ui::progress_text({.duration = Nanos(0), .closed = is_closed_}, attacker_.progress());
  if (word == "stop" || word == "cut") {
    word == "stop" ? attacker_.stop() : attacker_.cut();
    return "ok: the attack is ending";
  }
  return fmt::format("{}\"{}\" is none of {}", kError, printable_prefix(line, 60), kCommands);
}

std::string Steering::done(Expected<Nanos> at, std::string kind, std::string detail) {
  if (!at) return std::string(kError) + at.error().text;
  std::string text = fmt::format("ok: {}{}{} at {}", kind, detail.empty() ? "" : " ", detail, format_duration(round_for_report(*at)));
  changed_({*at, std::move(kind), std::move(detail)});
  return text;
}

Expected<std::string> run_control(const ControlRequest& request) {
  auto answer = ui::ask_control_socket(request.socket, request.line);
  if (answer && answer->starts_with(kError)) return failure(std::string(trim(std::string_view(*answer).substr(kError.size()))));
  return answer;
}

}  // namespace thrum::mode
