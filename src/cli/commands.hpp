// One function a command: options -> one call into a mode -> exit code.
#pragma once

#include "cli/exit_code.hpp"
#include "cli/parse.hpp"
#include "thrum/error.hpp"

namespace thrum::cli {

Expected<ExitCode> run_attack(const Invocation& invocation);
Expected<ExitCode> run_doctor(const Invocation& invocation);
Expected<ExitCode> run_encode(const Invocation& invocation);
Expected<ExitCode> run_plot(const Invocation& invocation);
Expected<ExitCode> run_report(const Invocation& invocation);
Expected<ExitCode> run_serve(const Invocation& invocation);
Expected<ExitCode> run_capacity(const Invocation& invocation);
Expected<ExitCode> run_control(const Invocation& invocation);
Expected<ExitCode> run_run(const Invocation& invocation);
Expected<ExitCode> run_schema(const Invocation& invocation);
Expected<ExitCode> run_shape(const Invocation& invocation);
Expected<ExitCode> run_version(const Invocation& invocation);
Expected<ExitCode> run_help(const Invocation& invocation);

// For packaging and for the manual, not for people: `thrum man [COMMAND]`, `thrum completion SHELL`, `thrum flags COMMAND`.
// `args` begins with one of those words.
bool is_generator(std::string_view word);
Expected<ExitCode> run_generator(std::span<const std::string_view> args);

// The document that -json owes whoever reads stdout, of a run that could not be made.
void print_run_error(const Error& error);

// How a command that reads results ended: interrupted twice is a code of its own, whether or not there was anything to tell.
Expected<ExitCode> ended(Command command, const Expected<void>& done);
// "thrum attack: text" on stderr.
void say(Command command, std::string_view text);
// Writes all of `text` to stdout. A reader that left is an error of kind broken_pipe.
Expected<void> print(std::string_view text);

}  // namespace thrum::cli
