// Takes records out of the shards' rings, makes Results of them (with words for what went wrong) and hands them to the sink.
// Runs on the thread that called Attacker::run().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "load/plan.hpp"
#include "load/ring.hpp"

namespace thrum::load {

class Collector {
 public:
  Collector(const Plan& plan, ResultSink& sink, Timestamp started) : plan_(plan), sink_(sink), started_(started) {
    records_.reserve(kBatch);
    results_.reserve(kBatch);
    headers_.reserve(kBatch);  // results show into its lists: it must not grow
  }

  // Empties a ring. Returns how many records it held; after a sink's error they are still taken, and dropped.
  std::size_t drain(Ring<Record>& ring);
  void tick();
  bool has_failed() const { return !status_.has_value(); }
  const Expected<void>& status() const { return status_; }

 private:
  static constexpr std::size_t kBatch = 256;

  void add(const Record& record);
  void flush();
  std::string_view words(const Record& record);

  const Plan& plan_;
  ResultSink& sink_;
  Timestamp started_;
  Expected<void> status_;
  std::vector<Record> records_;
  std::vector<Result> results_;
  std::vector<std::vector<Header>> headers_;  // of captured responses, one list per result of the batch
  using Key = std::tuple<Outcome, net::Fault::Phase, net::Fault::Source, std::int64_t, std::uint16_t, http::ParseError, std::uint32_t,
                         Waiting, std::uint16_t, const std::string*, std::uint32_t>;
  std::map<Key, std::string> words_;
};

std::string describe(const net::Fault& fault, const Route& route);
std::string describe_timeout(Waiting waiting, Nanos timeout);
// "timeout: no response headers within 30s" and the like; net::describe() for faults of the network.
std::string describe(const Record& record, Nanos timeout);

}  // namespace thrum::load
