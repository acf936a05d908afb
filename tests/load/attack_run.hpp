// Runs an attack in a test: keeps its results, watches that it ends, and checks what must hold of every attack.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "thrum/attacker.hpp"

namespace thrum::load {

// A Result that owns what it shows.
struct Kept {
  std::string attack, method, url, name, error;
  std::uint64_t seq = 0;
  Timestamp timestamp;
  Nanos latency{0}, lag{0}, first_byte{0}, dns{0}, connect{0}, tls{0}, redirecting{0};
  std::uint64_t bytes_out = 0, bytes_in = 0;
  int code = 0, seen_status = 0, retries = 0, redirects = 0;
  Outcome outcome = Outcome::ok;
  std::optional<std::string> body;
  bool is_warmup = false;
  bool has_headers = false;
  std::vector<std::pair<std::string, std::string>> headers;
  // How long somebody who came when the hit was due had to wait.
  Nanos response_latency() const { return latency + lag; }
};

class KeepingSink : public ResultSink {
 public:
  Expected<void> take(std::span<const Result> results) override;
  Expected<void> tick() override;

  std::vector<Kept> results;
  std::size_t takes = 0, ticks = 0;
  std::function<Expected<void>()> on_take, on_tick;
};

struct Ran {
  Expected<Summary> summary = failure("not run");
  std::vector<Kept> results;  // by hit number
  std::vector<Kept> warmup;   // those of the warm-up
  std::size_t ticks = 0;

  const Books& books() const { return summary->books; }
  std::size_t count(Outcome outcome) const;
  std::size_t count_code(int code) const;
};

// Open at `rate`, for `duration` (0: until it is stopped).
AttackOptions open_attack(const char* rate, Nanos duration);
// Open at `rate`, exactly `hits`: all of them are sent, however late a busy machine is.
AttackOptions open_hits(const char* rate, std::uint64_t hits);
// Exactly `hits`, by `workers` at once, as fast as they are answered.
AttackOptions closed_attack(std::uint64_t workers, std::uint64_t hits);

std::vector<Target> get(const std::vector<std::string>& urls);
Target post(std::string url, std::string body);

// An attacker that must be made; ends the attack and fails the test when it takes far too long.
std::unique_ptr<Attacker> make_attacker(AttackOptions options, std::vector<Target> targets);
Ran run(Attacker& attacker, KeepingSink& sink);
Ran run(Attacker& attacker);
Ran attack(AttackOptions options, std::vector<Target> targets);
Ran attack(AttackOptions options, const std::string& url);
Ran attack(AttackOptions options, std::unique_ptr<TargetSource> targets);

// What holds of every attack that ran, whatever it met.
void expect_sound(const Ran& run, const AttackOptions& options);

}  // namespace thrum::load
