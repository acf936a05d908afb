#include "cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/profiling.hpp"
#include "cli/settings.hpp"

namespace thrum::cli {
namespace {

int complain(Command command, const Error& error) {
  if (error.kind == ErrorKind::broken_pipe) return static_cast<int>(ExitCode::done);  // whoever read our output has seen enough
  if (!error.text.empty()) say(command, error.text);                                  // else it has been said already
  return static_cast<int>(error.kind == ErrorKind::usage ? ExitCode::usage : ExitCode::failed);
}

// Whether the line asked for JSON, though it may have made no sense otherwise.
bool asks_for_json(std::span<const std::string_view> args) {
  constexpr std::array<std::string_view, 4> kWords{"-json", "--json", "-json=true", "--json=true"};
  return std::ranges::any_of(args, [&](std::string_view word) { return std::ranges::find(kWords, word) != kWords.end(); });
}

// A program that is started with stdout closed would otherwise write its results into the first socket that it opens. The
// placeholder goes the wrong way, so that using it is the error that it would have been.
void hold_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest free number
}

Expected<ExitCode> run(const Invocation& invocation) {
  if (invocation.options.version) return run_version(invocation);
  if (invocation.options.help) {
    if (auto printed = print(help_text(invocation.command)); !printed) return std::unexpected(printed.error());
    return ExitCode::done;
  }
  if (auto fits = check_arguments(invocation); !fits) return std::unexpected(fits.error());
  if (!invocation.options.write_config.empty()) return write_config(invocation);
  switch (invocation.command) {
    case Command::attack:
      return run_attack(invocation);
    case Command::report:
      return run_report(invocation);
    case Command::plot:
      return run_plot(invocation);
    case Command::encode:
      return run_encode(invocation);
    case Command::shape:
      return run_shape(invocation);
    case Command::capacity:
      return run_capacity(invocation);
    case Command::run:
      return run_run(invocation);
    case Command::schema:
      return run_schema(invocation);
    case Command::control:
      return run_control(invocation);
    case Command::doctor:
      return run_doctor(invocation);
    case Command::serve:
      return run_serve(invocation);
    case Command::version:
      return run_version(invocation);
    case Command::help:
      return run_help(invocation);
    case Command::none:
      break;
  }
  const std::string help = help_text(Command::none);
  (void)!::write(STDERR_FILENO, help.data(), help.size());
  return ExitCode::usage;
}

Expected<ExitCode> run_profiled(const Invocation& invocation) {
  if (invocation.options.profile.empty()) return run(invocation);
  auto profiling = Profiling::start(invocation.options.profile);
  if (!profiling) return std::unexpected(profiling.error());
  auto code = run(invocation);
  const auto written = profiling->finish();
  if (!written) return std::unexpected(written.error());
  say(invocation.command, *written);
  return code;
}

// What files and variables say is read behind the command line, which says where from; the whole is then read once more.
std::expected<void, ParseFailure> add_settings(std::span<const std::string_view> args, Invocation& invocation,
                                               std::vector<std::string>& words) {
  auto found = find_settings(invocation);
  if (!found) return std::unexpected(ParseFailure{invocation.command, std::move(found.error())});
  words = std::move(found->words);
  if (found->settings.empty() && found->run.empty()) return {};
  auto whole = parse(args, found->settings);
  if (!whole) return std::unexpected(std::move(whole.error()));
  invocation = std::move(*whole);
  if (found->run.empty()) return {};
  invocation.run = std::move(found->run);
  invocation.arguments.clear();  // its name
  return {};
}

}  // namespace

int run_program(std::span<const std::string_view> args) {
  hold_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves is an error of a write, and handled there
  if (!args.empty() && is_generator(args[0])) {
    const auto code = run_generator(args);
    return code ? static_cast<int>(*code) : complain(Command::none, code.error());
  }
  // Alone at a terminal: a form, or what thrum.toml says.
  constexpr std::array<std::string_view, 1> kAlone{"run"};
  if (args.empty() && mode::can_show_run()) args = kAlone;
  auto invocation = parse(args);
  std::vector<std::string> words;
  if (invocation && !invocation->options.help && !invocation->options.version)
    if (auto told = add_settings(args, *invocation, words); !told) invocation = std::unexpected(std::move(told.error()));
  for (const std::string& line : words) say(invocation ? invocation->command : invocation.error().command, line);
  if (!invocation) {
    if (invocation.error().command == Command::run && asks_for_json(args)) print_run_error(invocation.error().error);
    return complain(invocation.error().command, invocation.error().error);
  }
  const auto code = run_profiled(*invocation);
  if (!code && invocation->command == Command::run && invocation->options.run.json) print_run_error(code.error());
  return code ? static_cast<int>(*code) : complain(invocation->command, code.error());
}

}  // namespace thrum::cli
