#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/interrupts.hpp"
#include "cli/settings.hpp"
#include "host/limits.hpp"
#include "mode/curl_flags.hpp"
#include "mode/masked_flags.hpp"
#include "mode/run.hpp"
#include "mode/run_folder.hpp"
#include "mode/run_setup.hpp"
#include "report/run_report.hpp"

namespace thrum::cli {
namespace {

using Words = std::span<const std::string>;

Expected<mode::RunRequest> request_of(const Invocation& invocation) {
  mode::RunRequest request = invocation.options.run;
  request.attack = invocation.options.attack;
  if (request.is_curl)
    request.curl = invocation.arguments;
  else if (invocation.arguments.size() > 1)
    return usage_error("takes one URL; several targets are for thrum attack -targets=FILE");
  else if (!invocation.arguments.empty())
    request.url = invocation.arguments[0];
  if (!request.out_dir.empty() && invocation.run.empty())
    return usage_error("-out-dir is for runs that have a name: thrum run NAME, or -all; of others -record, -output and -html say where");
  if (!request.out_dir.empty() && !request.attack.dry_run) mode::put_into_folder(request, request.out_dir, invocation.run);
  return request;
}

ExitCode code_of(mode::RunEnd end) {
  if (Interrupts::count() > 1) return ExitCode::interrupted;
  switch (end) {
    case mode::RunEnd::unanswered:
      return ExitCode::failed;
    case mode::RunEnd::off_rate:
      return ExitCode::off_rate;
    case mode::RunEnd::gate:
      return ExitCode::gate;
    case mode::RunEnd::done:
      break;
  }
  return ExitCode::done;
}

// The form's command lines, read as the shell's are.
class FormLines {
 public:
  // `warn`: what a command of curl says that no flag can.
  static Expected<FormLines> make(const Invocation& invocation, const std::function<void(std::string_view)>& warn) {
    FormLines out;
    out.run_ = invocation.run;
    const auto& typed = invocation.options.attack.typed;
    const auto settled = std::span(typed).first(invocation.options.attack.settled);
    out.settled_.assign(settled.begin(), settled.end());
    for (const auto& each : std::span(typed).subspan(settled.size()))
      if (each.first != "setup" && each.first != "url" && each.first != "curl") out.typed_.push_back(each);
    if (invocation.options.run.is_curl) {
      auto curl = mode::read_curl_flags(invocation.arguments);
      if (!curl) return std::unexpected(curl.error());
      for (const std::string& note : curl->notes) warn(note);
      out.typed_.insert(out.typed_.begin(), curl->flags.begin(), curl->flags.end());
      return out;
    }
    const std::string& url = invocation.arguments.empty() ? invocation.options.run.url : invocation.arguments[0];
    const bool is_settled = std::ranges::any_of(settled, [&](const auto& each) { return each.first == "url" && each.second == url; });
    if (!url.empty() && !is_settled) out.typed_.emplace_back("url", url);
    return out;
  }

  const mode::TypedFlags& settled() const { return settled_; }
  const mode::TypedFlags& typed() const { return typed_; }

  Expected<Invocation> invocation(Words words) const {
    std::vector<std::string_view> args{"run"};
    args.insert(args.end(), words.begin(), words.end());
    auto read = parse(args);
    if (!read) return std::unexpected(std::move(read.error().error));
    read->run = run_;
    auto found = find_settings(*read);
    if (!found) return std::unexpected(std::move(found.error()));
    if (!found->settings.empty()) read = parse(args, found->settings);
    if (!read) return std::unexpected(std::move(read.error().error));
    read->run = run_;
    return std::move(*read);
  }
  Expected<mode::RunRequest> request(Words words) const {
    const auto read = invocation(words);
    if (!read) return std::unexpected(read.error());
    return request_of(*read);
  }

 private:
  mode::TypedFlags settled_, typed_;
  std::string run_;  // the named one that it began with
};

// Runs, one after the other as the person at the screen wants them, with the form in between.
class Session {
 public:
  explicit Session(const Invocation& invocation) : invocation_(invocation) {}

  Expected<ExitCode> run() {
    auto request = request_of(invocation_);
    if (!request) return std::unexpected(request.error());
    request_ = std::move(*request);
    if (request_.setup && !mode::can_show_run())
      return usage_error("-i needs a terminal that can be drawn on, and stdout is none; give the URL and its flags instead");
    const bool has_url = !request_.url.empty() || request_.is_curl;
    bool shows_form = request_.setup || (!has_url && mode::can_show_run() && !request_.json && request_.screen.value_or(true));
    for (;;) {
      if (shows_form) {
        const auto is_ready = set_up();
        if (!is_ready) return std::unexpected(is_ready.error());
        if (!*is_ready) return ExitCode::done;
      } else if (auto ready = prepare(request_); !ready) {
        return std::unexpected(ready.error());
      }
      const auto code = carry_out();
      if (!code || next_.what == mode::RunNext::What::nothing) return code;
      shows_form = next_.what == mode::RunNext::What::form;
      if (next_.concurrency) request_.concurrency = std::min(*next_.concurrency, request_.number.value_or(*next_.concurrency));
    }
  }

 private:
  Expected<void> prepare(const mode::RunRequest& request) {
    auto run = mode::Run::prepare(request, {.print = print, .warn = [this](std::string_view line) { warn(line); }});
    if (!run) return std::unexpected(run.error());
    run_ = std::move(*run);
    return {};
  }

  // While the form is on the terminal, lines wait.
  void warn(std::string_view line) {
    if (has_form_)
      waiting_.emplace_back(line);
    else
      say(Command::run, line);
  }

  Expected<bool> set_up() {
    if (!setup_) {
      auto lines = FormLines::make(invocation_, [](std::string_view line) { say(Command::run, line); });
      if (!lines) return std::unexpected(lines.error());
      lines_ = std::move(*lines);
      setup_.emplace(lines_.settled(), lines_.typed(), settings_file_of(invocation_),
                     mode::SetupHooks{.start = [this](Words words) -> Expected<void> {
                                        auto request = lines_.request(words);
                                        if (!request) return std::unexpected(request.error());
                                        waiting_.clear();
                                        if (auto ready = prepare(*request); !ready) return ready;
                                        request_ = std::move(*request);
                                        return {};
                                      },
                                      .read = [this](Words words) { return lines_.request(words); },
                                      .save = [this](Words words) -> Expected<std::string> {
                                        const auto read = lines_.invocation(words);
                                        if (!read) return std::unexpected(read.error());
                                        return save_settings(*read);
                                      }});
    }
    has_form_ = true;
    auto is_ready = [this] {
      Leaving leaving(*setup_);
      const Interrupts interrupts(leaving);
      return setup_->ask();
    }();
    has_form_ = false;
    if (!is_ready) return is_ready;
    if (const std::string line = setup_->command_line(); !line.empty()) (void)print(line + "\n");
    for (const std::string& line : waiting_) say(Command::run, line);
    waiting_.clear();
    return is_ready;
  }

  Expected<ExitCode> carry_out() {
    InterruptibleBy target(*run_);
    const Interrupts interrupts(target);
    (void)host::raise_descriptor_limit();
    const auto end = run_->run();
    if (!end) return std::unexpected(end.error());
    next_ = run_->next();
    return code_of(*end);
  }

  class Leaving final : public Interruptible {
   public:
    explicit Leaving(mode::RunSetup& setup) : setup_(setup) {}
    void stop() noexcept override { setup_.leave(); }
    void cut() noexcept override { setup_.leave(); }

   private:
    mode::RunSetup& setup_;
  };

  const Invocation& invocation_;
  FormLines lines_;
  mode::RunRequest request_;  // of the run at hand
  std::optional<mode::RunSetup> setup_;
  std::unique_ptr<mode::Run> run_;
  mode::RunNext next_;
  bool has_form_ = false;
  std::vector<std::string> waiting_;
};

}  // namespace

namespace {

void say_run(std::string_view line) { say(Command::run, line); }

// One run, and in a folder its plot.
Expected<ExitCode> run_one(const Invocation& invocation) {
  const std::string& folder = invocation.options.run.out_dir;
  const bool has_folder = !folder.empty() && !invocation.run.empty() && !invocation.options.attack.dry_run;
  if (has_folder)
    if (auto made = mode::make_folder(folder, std::array{invocation.run}); !made) return std::unexpected(made.error());
  auto code = Session(invocation).run();
  if (code && has_folder)
    if (auto plotted = mode::plot_run(folder, invocation.run, say_run); !plotted) say_run(plotted.error().text);
  return code;
}

// The graver of two.
ExitCode graver(ExitCode a, ExitCode b) {
  constexpr std::array kOrder{ExitCode::done, ExitCode::gate, ExitCode::off_rate, ExitCode::failed, ExitCode::interrupted};
  const auto place = [&](ExitCode code) { return std::ranges::find(kOrder, code) - kOrder.begin(); };
  return place(a) >= place(b) ? a : b;
}

Expected<std::vector<Invocation>> all_runs(const Invocation& invocation, std::span<const std::string> names) {
  std::vector<Invocation> all;
  for (const std::string& name : names) {
    auto one = of_named_run(invocation, name);
    if (!one) return std::unexpected(std::move(one.error()));
    one->options.run.screen = false;
    all.push_back(std::move(*one));
  }
  return all;
}

// Each run would write over what the last one has written.
Expected<void> check_files_of_all(const Invocation& invocation) {
  constexpr std::array<std::string_view, 7> kFiles{"output", "md", "html", "series-csv", "record", "snapshot", "junit"};
  for (const auto& [flag, value] : std::span(invocation.options.attack.typed).subspan(invocation.options.attack.settled))
    if (std::ranges::find(kFiles, flag) != kFiles.end())
      return usage_error(fmt::format("-{} names one file, and -all has several runs; -out-dir=FOLDER has files for each", flag));
  return {};
}

// One after the other. A run that can't be made ends them: what comes after it may well build on it.
Expected<ExitCode> run_all(const Invocation& invocation) {
  if (!invocation.arguments.empty()) return usage_error("-all sends the runs of a file; leave out the URL, or -all");
  if (invocation.options.run.json) return usage_error("-json prints one report, and -all has several; -out-dir=FOLDER writes one for each");
  if (auto fine = check_files_of_all(invocation); !fine) return std::unexpected(fine.error());
  const auto names = named_runs(invocation);
  if (!names) return std::unexpected(names.error());
  const auto runs = all_runs(invocation, *names);
  if (!runs) return std::unexpected(runs.error());
  const std::string& folder = invocation.options.run.out_dir;
  const bool has_folder = !folder.empty() && !invocation.options.attack.dry_run;
  if (has_folder)
    if (auto made = mode::make_folder(folder, *names); !made) return std::unexpected(made.error());
  ExitCode worst = ExitCode::done;
  std::vector<std::string> over;
  for (std::size_t i = 0; i < runs->size(); ++i) {
    if (auto printed = print(fmt::format("{}[{}]\n", i == 0 ? "" : "\n", printable((*names)[i]))); !printed)
      return std::unexpected(printed.error());
    const auto code = run_one((*runs)[i]);
    if (!code) return std::unexpected(Error{code.error().kind, fmt::format("[run.{}]: {}", printable((*names)[i]), code.error().text)});
    worst = graver(worst, *code);
    over.push_back((*names)[i]);
    if (Interrupts::count() > 0) break;
  }
  if (has_folder)
    if (auto plotted = mode::plot_runs(folder, over, say_run); !plotted) say_run(plotted.error().text);
  return worst;
}

}  // namespace

Expected<ExitCode> run_run(const Invocation& invocation) { return invocation.options.run.all ? run_all(invocation) : run_one(invocation); }

void print_run_error(const Error& error) {
  if (error.kind == ErrorKind::broken_pipe || error.text.empty()) return;
  (void)print(report::run_error_json(error.kind == ErrorKind::usage ? "usage" : "failed", error.text));
}

Expected<ExitCode> run_schema(const Invocation& invocation) {
  const std::string_view of = invocation.arguments.empty() ? "run" : std::string_view(invocation.arguments[0]);
  if (invocation.arguments.size() > 1 || of != "run") return usage_error("there is a schema of run; write thrum schema run");
  if (auto printed = print(report::run_schema()); !printed) return std::unexpected(printed.error());
  return ExitCode::done;
}

}  // namespace thrum::cli
