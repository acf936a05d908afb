// What a response has to be like, made ready once from what the user said (thrum/expectation.hpp) and held against many responses by
// any thread; see response_check.hpp for one response.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "http/expectation_rules.hpp"
#include "thrum/error.hpp"
#include "thrum/expectation.hpp"
#include "thrum/status_set.hpp"

namespace thrum::http {

class Expectation {
 public:
  // Null when nothing is expected beyond the usual.
  static Expected<std::shared_ptr<const Expectation>> make(const Expectations& said);

  bool looks_at_body() const { return !body.empty() || !json.empty(); }

  // One response that broke it is kept for people to look at. True for the first to ask.
  bool claim_sample() const { return !has_sample() && !sampled_.exchange(true, std::memory_order_relaxed); }
  bool has_sample() const { return sampled_.load(std::memory_order_relaxed); }

  std::optional<StatusSet> status;  // none: 200 to 399
  std::string status_words;         // for another
  std::vector<HeaderRule> header;
  std::optional<SizeRule> size;
  std::vector<BodyRule> body;
  std::vector<JsonRule> json;
  std::vector<const JsonPath*> json_paths;  // of these

 private:
  mutable std::atomic<bool> sampled_{false};
};

}  // namespace thrum::http
