// An attack as a person asks for it: targets from a file or stdin, results to a file or stdout, progress on stderr, a text
// report where stdout is a terminal. Composition only: targets -> load -> record (or measure -> report).
//
// prepare() reads what there is to read and opens the output; run() blocks until the attack is over. stop() and cut() may be
// called from any thread or signal handler.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/encoding.hpp"
#include "settings/guard.hpp"
#include "thrum/attacker.hpp"
#include "thrum/error.hpp"
#include "thrum/targets.hpp"

namespace thrum::mode {

struct AttackRequest {
  AttackOptions options;          // what the library is asked; its body and max_body are set from the fields below
  std::string targets = "stdin";  // a file, or stdin
  TargetFormat format = TargetFormat::http;
  bool lazy = false;                     // read targets while attacking
  bool once = false;                     // send each target one time and print the exchange (mode/once.hpp)
  std::string body;                      // a file; empty: none
  bool capture_body = false;             // keep response bodies
  std::optional<std::int64_t> max_body;  // most bytes of each to keep, -1: all; none given: all if capture_body, else none
  bool heeds_environment = true;         // for proxies: HTTP_PROXY and the like
  std::string output = "stdout";         // a file, or stdout
  Encoding encoding = Encoding::native;
  std::string success = "200-399";                         // codes that count as success, for whoever reads the results
  LatencyClock latency = LatencyClock::service;            // that gates and reports go by
  std::optional<bool> progress;                            // none given: when stderr is a terminal
  std::optional<std::uint64_t> seed;                       // of what is drawn at random; none given: any, kept in the results
  std::vector<std::string> fail_if;                        // what must not be: "p99>250ms"; see report/gates.hpp
  std::vector<std::string> abort_if;                       // what ends it early: "errors>10% for 5s"; see mode/abort_watch.hpp
  std::string control;                                     // a socket to change the rate by while it goes on; empty: none
  std::string junit;                                       // a file for the verdicts on these; empty: none
  bool strict_rate = false;                                // not keeping the rate is a failure
  std::string metrics_addr;                                // HOST:PORT of the metrics page; empty: none
  Nanos metrics_linger{0};                                 // how long its last values stay there after the end
  settings::Guard guard;                                   // what may be sent where, how much and how fast
  bool dry_run = false;                                    // say what would be sent, and send nothing (mode/dry_run.hpp)
  std::vector<std::pair<std::string, std::string>> typed;  // flag and value, as given; kept in the results, secrets masked
  std::size_t settled = 0;                                 // so many of these, the first, come from a file or the environment
};

// What contradicts itself or can't work in `request`, before anything is opened. The errors name flags.
Expected<void> check(const AttackRequest& request);
// Flags that change nothing beside the others, but that scripts may well have for all of their attacks: a line for people each.
// The environment's proxies have to be in `request`.
std::vector<std::string_view> without_effect(const AttackRequest& request);

enum class AttackEnd : std::uint8_t {
  done,      // as asked, or stopped by somebody
  off_rate,  // done, but with strict_rate the rate was not kept
  gate,      // done, but failed by one of fail_if, or ended by one of abort_if
};

// Where the words go; the progress line goes to stderr by itself.
struct AttackHooks {
  std::function<Expected<void>(std::string_view)> print;  // the product, when it is text for a terminal
  std::function<void(std::string_view)> warn;             // one line that a person should know
};

class Attack {
 public:
  static Expected<std::unique_ptr<Attack>> prepare(AttackRequest request, AttackHooks hooks);
  virtual ~Attack() = default;

  // An error of kind broken_pipe: the reader of the output went away.
  virtual Expected<AttackEnd> run() = 0;
  virtual void stop() = 0;
  virtual void cut() = 0;
};

}  // namespace thrum::mode
