// One request of a run, sent once, before there is any: what was sent and what came back. Nothing of it is counted.
//
// prepare() checks as the run would; send() blocks. cut() may be called from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mode/run.hpp"
#include "thrum/attacker.hpp"

namespace thrum::mode {

struct ShotAnswer {
  std::string connection;  // "127.0.0.1:18080, HTTP/1.1"; empty: there was none
  std::string sent;        // the request's head (the last one's, where redirects were followed), as it went
  std::uint16_t status = 0;
  std::string error;  // why there is no response, or why it is no success
  Nanos latency{0}, connecting{0}, first_byte{0};
  std::uint64_t bytes = 0;  // of the body, on the wire
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  // as far as it is kept
};

class OneShot : private ResultSink {
 public:
  static constexpr std::int64_t kMostBody = std::int64_t{256} << 10;

  static Expected<std::unique_ptr<OneShot>> prepare(RunRequest request);
  ~OneShot() override;

  Expected<ShotAnswer> send();
  void cut();

 private:
  class Watcher;
  explicit OneShot(RunRequest request);
  Expected<void> open();
  Expected<void> take(std::span<const Result> results) override;

  RunRequest request_;
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<Attacker> attacker_;
  ShotAnswer answer_;
};

}  // namespace thrum::mode
