// A run and its screen: what the run knows goes to the screen ten times a second, what the person asks for goes to the attacker.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "measure/findings.hpp"
#include "measure/run_watch.hpp"
#include "mode/run.hpp"
#include "record/file_header.hpp"
#include "report/run_report.hpp"
#include "settings/guard.hpp"
#include "ui/run_dashboard.hpp"

namespace thrum::mode {

class RunOnScreen {
 public:
  // A stretch of the run in which nothing was sent because somebody paused it.
  struct Pause {
    Nanos from{0}, to = Nanos::max();
  };

  // Takes the terminal. The attacker outlives this.
  static Expected<std::unique_ptr<RunOnScreen>> open(const RunRequest& request, Attacker& attacker);

  // On run()'s thread.
  void show(const RunBlock& block);
  void tick(const std::vector<Anomaly>& anomalies);
  // A line for the person, for a few seconds. From any thread.
  void notify(std::string text);
  // `report` outlives wait().
  void finish(const report::RunReport& report);
  // Of the rate, and pauses; each once.
  std::vector<Event> take_changes();
  // Whether the rate was changed: what was asked for at first says little then.
  bool has_other_rate() const;
  void wait() { dashboard_->wait_until_left(); }
  // Gives the terminal back.
  void close() { dashboard_->close(); }
  // From a signal handler, too.
  void leave() noexcept { dashboard_->leave(); }

  std::vector<Pause> pauses() const;
  std::uint64_t most_at_once() const;
  RunNext next() const;

 private:
  RunOnScreen(const RunRequest& request, Attacker& attacker);
  bool asked(ui::RunCommand command);
  void pause();
  void change_concurrency(bool up);
  void change_rate(bool up);
  void write_file(ui::RunCommand command);
  void save_body();
  Nanos active(Nanos elapsed) const;

  Attacker& attacker_;
  const bool reads_stdin_;  // which can't be read a second time
  const AttackOptions options_;
  const std::string curl_;            // the request as a command of curl
  const settings::Guard& guard_;      //
  const std::uint64_t most_allowed_;  // at once, by the guardrails too
  mutable std::mutex mutex_;          // of what both threads use
  std::vector<Pause> pauses_;
  std::uint64_t at_once_, most_at_once_;
  RunNext::What next_ = RunNext::What::nothing;
  std::optional<double> rate_;  // as it was changed to
  std::vector<Event> changes_;
  const report::RunReport* report_ = nullptr;  // once it is over
  std::string notice_;
  Instant notice_until_{};
  bool is_stopping_ = false, is_over_ = false;
  std::size_t anomalies_told_ = 0;  // of run()'s thread
  bool is_busy_told_ = false;
  std::unique_ptr<ui::RunDashboard> dashboard_;  // its thread uses what stands above
};

}  // namespace thrum::mode
