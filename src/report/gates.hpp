// What a run must not come to (-fail-if): "p99>250ms", "success<99.9%", "url(/api/*).p99>100ms". A gate that is met has failed the
// run, and so has one of which nothing is known: no news are no good news.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/text_pattern.hpp"
#include "report/gate.hpp"
#include "report/input.hpp"

namespace thrum::report {

class Gates {
 public:
  // Each text is one gate, or several with commas between them. Errors show the place.
  static Expected<Gates> parse(std::span<const std::string> texts);
  Gates() = default;

  // The first that looks at more than results: stages, what was missed, the rate asked for.
  std::optional<std::string> needs_whole_run() const;
  bool looks_at_success() const;  // success, errors or codes
  Nanos longest_time() const;     // that one of them compares with; 0: none does
  bool has_urls() const { return !urls_.empty(); }
  bool empty() const { return gates_.empty(); }
  // Results as they come, those that the run is judged by: url(…) needs to see them.
  void add(std::span<const Result> results, const MetricsOptions& judging);
  // At the end, in the order in which they were typed.
  std::vector<Judged> judge(const Input& input);

 private:
  struct UrlScope {
    std::string pattern;
    TextPattern matcher;
    bool is_of_path;  // and query; else of the whole URL
    std::optional<Metrics> metrics;
  };

  std::vector<Gate> gates_;
  std::vector<UrlScope> urls_;
};

}  // namespace thrum::report
