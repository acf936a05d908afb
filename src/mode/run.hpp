// A run as a person asks for it: one URL, no pipes, no files; what came of it in plain words (or JSON) at the end. It is the engine of
// `attack` with other defaults: response latency, 2xx as success, figures only. Composition only: a target -> load -> measure -> report.
//
// prepare() checks everything before anything is sent; run() blocks until the run is over. stop() and cut() may be called from any
// thread or signal handler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mode/attack.hpp"
#include "thrum/attacker.hpp"
#include "thrum/error.hpp"

namespace thrum::mode {

struct RunRequest {
  static constexpr std::uint64_t kNumber = 100;
  static constexpr std::uint64_t kMostConcurrency = 100'000;

  AttackRequest attack;  // connections, headers, warm-up, gates; what stands below is put into it by settle()
  std::string url;       // as typed
  bool is_curl = false;  // a command of curl says what to send: `curl` are its words, or @FILE; none: it comes from stdin
  std::vector<std::string> curl;
  std::string method = "GET";
  std::string body;                          // text, or @FILE, or @- for stdin; empty: none
  std::string user_agent;                    // a header of that name wins over it
  std::optional<std::uint64_t> number;       // none given: kNumber, unless something else ends the run
  std::optional<std::uint64_t> concurrency;  // none given: as many as cores, or no bound where there is a rate
  std::optional<Nanos> duration;
  std::optional<Shape> rate;  // none: a closed loop
  Nanos timeout{20'000'000'000};
  bool setup = false;             // first the form by which it is set up (mode/run_setup.hpp)
  std::optional<bool> screen{};   // show the run while it goes on; none given: where stdout is a terminal, and not with json
  bool json = false;              // the report as JSON on stdout, instead of text
  bool allow_all_failed = false;  // a run that nothing answered is none that failed
  // Files for what came of it; empty: none.
  std::string output;      // the report as JSON
  std::string markdown;    //
  std::string html;        //
  std::string series_csv;  // a line a second
  std::string snapshot;    // the report as JSON, again and again while it goes on
  Nanos snapshot_every{60'000'000'000};
  bool all = false;     // all runs that the file of settings has
  std::string out_dir;  // a folder for what came of named runs (mode/run_folder.hpp)
  std::string record;   // every result, as attack writes them
};

enum class RunEnd : std::uint8_t {
  done,        // as asked, or stopped by somebody
  unanswered,  // done, but no response ever came
  off_rate,    // done, but with strict_rate the rate was not kept
  gate,        // done, but failed by one of fail_if
};

// Fills in what was left open, and moves it to request.attack. Errors name flags.
Expected<void> settle(RunRequest& request, std::uint32_t cores);
// The codes that count as success: -expect-status, or 2xx.
std::string successes_of(const RunRequest& request);
// What is sent, of a request that is settled; its body is read.
Expected<Target> target_of(const RunRequest& request);
// "100 requests, 4 at once", of a request that is settled.
std::string load_words(const RunRequest& request);

// What the person at its screen wants when they leave it.
struct RunNext {
  enum class What : std::uint8_t { nothing, again, form } what = What::nothing;
  std::optional<std::uint64_t> concurrency{};  // as it was changed to; none: as asked
};

// Whether a run can be shown: stdout is a terminal that can do more than lines.
bool can_show_run();

struct RunHooks {
  std::function<Expected<void>(std::string_view)> print;  // the product
  std::function<void(std::string_view)> warn;             // one line that a person should know
};

class Run {
 public:
  static Expected<std::unique_ptr<Run>> prepare(RunRequest request, RunHooks hooks);
  virtual ~Run() = default;

  virtual Expected<RunEnd> run() = 0;
  virtual void stop() = 0;
  virtual void cut() = 0;
  // After run().
  virtual RunNext next() const = 0;
};

}  // namespace thrum::mode
