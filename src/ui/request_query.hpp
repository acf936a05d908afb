// The language by which the lines of Requests are chosen: "status:5xx,429 lat>200ms -err:timeout after:30s". Terms stand together (all have
// to hold), a minus turns one round, and a plain word is looked for as it always was: in status, error and the body's beginning.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/run_watch.hpp"
#include "thrum/error.hpp"

namespace thrum::ui {

class RequestQuery {
 public:
  // Errors say which term is wrong and what would be right.
  static Expected<RequestQuery> parse(std::string_view text);
  bool fits(const RecentResult& result) const;
  bool empty() const { return terms_.empty(); }

 private:
  struct Term {
    bool is_turned = false;
    std::function<bool(const RecentResult&)> holds;
  };
  std::vector<Term> terms_;
};

}  // namespace thrum::ui
