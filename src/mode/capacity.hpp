// The highest rate that a target holds, found by trying: one attack on warm connections whose rate is changed from trial to trial.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mode/attack.hpp"
#include "mode/capacity_search.hpp"
#include "thrum/error.hpp"

namespace thrum::mode {

struct CapacityRequest {
  AttackRequest attack;          // what to send and how; its rate and end are the search's
  std::string url;               // to be got; empty: the attack's targets
  std::vector<std::string> slo;  // gates that have to hold: "p99<200ms, success>99.9%"
  SearchOptions search;
  bool json = false;   // print JSON instead of text
  std::string html{};  // a file for the page; empty: none
};

struct CapacityHooks {
  std::function<Expected<void>(std::string_view)> print;
  std::function<void(std::string_view)> warn;
};

class Capacity {
 public:
  static Expected<std::unique_ptr<Capacity>> prepare(CapacityRequest request, CapacityHooks hooks);
  virtual ~Capacity() = default;

  // False: no rate held, or it was stopped before one was confirmed.
  virtual Expected<bool> run() = 0;
  virtual void stop() = 0;
  virtual void cut() = 0;
};

}  // namespace thrum::mode
