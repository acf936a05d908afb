#include "mode/run_setup.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/text.hpp"
#include "mode/curl_flags.hpp"
#include "mode/one_shot.hpp"
#include "targets/curl_asked.hpp"
#include "ui/body_text.hpp"
#include "ui/run_screen.hpp"

namespace thrum::mode {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

constexpr ui::Style kQuiet{ui::Tone::quiet}, kStrong{ui::Tone::strong};

std::string title_of(const ShotAnswer& a) {
  if (a.status == 0) return fmt::format("No response after {}", ui::time_text(a.latency));
  return fmt::format("{} after {}, {}; nothing is counted", a.status, ui::time_text(a.latency), ui::bytes_text(a.bytes));
}

void add_head(std::vector<ui::PanelLine>& lines, std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    lines.emplace_back(printable(head.substr(0, end)), kQuiet);
    head.remove_prefix(std::min(end + 2, head.size()));
  }
}

std::vector<ui::PanelLine> lines_of(const ShotAnswer& a) {
  std::vector<ui::PanelLine> lines;
  if (!a.connection.empty()) lines.emplace_back("connected to " + printable(a.connection), kQuiet);
  std::string times = fmt::format("{} in all", ui::time_text(a.latency));
  if (a.connecting > Nanos(0)) times += fmt::format(", {} of it connecting", ui::time_text(a.connecting));
  if (a.first_byte > Nanos(0)) times += fmt::format(", first byte after {}", ui::time_text(a.first_byte));
  lines.emplace_back(times, kQuiet);
  lines.emplace_back();
  add_head(lines, a.sent);
  lines.emplace_back();
  if (!a.error.empty()) lines.emplace_back(printable(a.error), ui::Style{ui::Tone::bad});
  if (a.status != 0 && a.error.empty()) lines.emplace_back(std::to_string(a.status), ui::Style{ui::Tone::good});
  for (const auto& [name, value] : a.headers) {
    ui::PanelLine& line = lines.emplace_back();
    line.spans.push_back({printable(name) + ": ", kQuiet});
    line.spans.push_back({printable(value), {}});
  }
  if (a.status != 0) lines.emplace_back();
  for (ui::PanelLine& line : ui::body_lines(a.body, false)) lines.push_back(std::move(line));
  if (a.body.size() == static_cast<std::size_t>(OneShot::kMostBody)) lines.emplace_back("(more is not shown)", kQuiet);
  return lines;
}

}  // namespace

// One request on a thread of its own.
class RunSetup::Shot {
 public:
  Shot(std::unique_ptr<OneShot> shot, ui::SetupScreen& screen) : shot_(std::move(shot)) {
    // Signals are for the thread that runs the program.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this, &screen] {
      auto answer = shot_->send();
      const std::lock_guard lock(mutex_);
      answer_ = std::move(answer);
      screen.wake();
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Shot() {
    shot_->cut();
    thread_.join();
  }
  Shot(const Shot&) = delete;
  Shot& operator=(const Shot&) = delete;

  // None: still waiting.
  std::optional<Expected<ShotAnswer>> answer() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answer_, std::nullopt);
  }

 private:
  std::unique_ptr<OneShot> shot_;
  std::mutex mutex_;
  std::optional<Expected<ShotAnswer>> answer_;
  std::thread thread_;
};

RunSetup::RunSetup(const ui::FlagValues& settled, const ui::FlagValues& typed, const std::string& source, SetupHooks hooks)
    : hooks_(std::move(hooks)), form_(settled, typed) {
  form_.say_source(source.empty() ? "" : "settings from " + source);
}

RunSetup::~RunSetup() = default;

Expected<bool> RunSetup::ask() {
  auto screen = ui::SetupScreen::open(ui::palette_of(variable));
  if (!screen) return std::unexpected(screen.error());
  to_leave_ = screen->get();
  bool is_ready = false;
  while (!is_ready && !has_left_.load()) {
    const ui::SetupCommand command = (*screen)->ask(form_);
    if (command == ui::SetupCommand::leave) break;
    is_ready = carry_out(command, **screen);
  }
  to_leave_ = nullptr;
  shot_.reset();
  return is_ready && !has_left_.load();
}

void RunSetup::leave() noexcept {
  has_left_ = true;
  if (ui::SetupScreen* const screen = to_leave_.load()) screen->wake();
}

std::string RunSetup::command_line() const { return form_.is_untouched() ? "" : form_.command_line(); }

void RunSetup::complain(const Error& error) { form_.complain(error.text); }

// True: the run can start.
bool RunSetup::carry_out(ui::SetupCommand command, ui::SetupScreen& screen) {
  switch (command) {
    case ui::SetupCommand::none:
      look_at_shot();
      return false;
    case ui::SetupCommand::start: {
      const auto ready = hooks_.start(form_.words());
      if (!ready) complain(ready.error());
      return ready.has_value();
    }
    case ui::SetupCommand::test:
      test(screen);
      return false;
    case ui::SetupCommand::cancel_test:
      shot_.reset();
      return false;
    case ui::SetupCommand::save:
      save();
      return false;
    case ui::SetupCommand::read_curl:
      read_curl();
      return false;
    case ui::SetupCommand::leave:
      break;
  }
  return false;
}

void RunSetup::test(ui::SetupScreen& screen) {
  shot_.reset();
  auto request = hooks_.read(form_.words());
  if (!request) return complain(request.error());
  if (request->body == "@-") return complain({ErrorKind::usage, "-d: standard input can be read once only, by the run itself"});
  auto shot = OneShot::prepare(std::move(*request));
  if (!shot) return complain(shot.error());
  shot_ = std::make_unique<Shot>(std::move(*shot), screen);
  form_.begin_test();
}

void RunSetup::look_at_shot() {
  if (!shot_) return;
  auto answer = shot_->answer();
  if (!answer) return;
  shot_.reset();
  if (!form_.is_testing()) return;
  if (*answer)
    form_.end_test(title_of(**answer), lines_of(**answer));
  else
    form_.end_test("Nothing was sent", {ui::PanelLine(printable(answer->error().text), {ui::Tone::bad})});
}

void RunSetup::read_curl() {
  using Files = targets::CurlFiles;
  const std::string_view text = form_.pasted();
  const auto command = targets::read_curl_text(text, targets::guess_shell(text), Files(Files::May::files));
  if (!command) return form_.say(command.error().text, ui::Tone::bad);
  const auto flags = flags_of(*command);
  if (!flags) return form_.say(flags.error().text, ui::Tone::bad);
  form_.fill(flags->flags);
  std::string notes;
  for (const std::string& note : flags->notes) notes += (notes.empty() ? "" : "; ") + note;
  form_.say(notes.empty() ? "taken from the curl command" : "taken from the curl command, but " + notes,
            notes.empty() ? ui::Tone::good : ui::Tone::warning);
}

void RunSetup::save() {
  auto saved = hooks_.save(form_.words());
  if (!saved) return complain(saved.error());
  form_.say(std::move(*saved), ui::Tone::good);
}

}  // namespace thrum::mode
