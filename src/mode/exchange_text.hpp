// One exchange after the other as text for people: heads line by line, bodies as far as they are text, what the connection and
// the clock say. Everything that came from a server is made safe for a terminal.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "thrum/result.hpp"
#include "thrum/watcher.hpp"

namespace thrum::mode {

class ExchangeText final : public ConnectionWatcher {
 public:
  // `most_body`: bytes of each body that are shown; < 0: all.
  explicit ExchangeText(std::int64_t most_body) : most_body_(most_body) {}

  void on_connection(const ConnectionFacts& facts) override;
  void on_sent(std::string_view bytes) override { add(Direction::out, bytes); }
  void on_received(std::string_view bytes) override { add(Direction::in, bytes); }

  void on_end(std::uint64_t hit) override;

  // The whole of an exchange that has ended, once. From any thread.
  std::string take(const Result& result);

 private:
  enum class Direction : std::uint8_t { none, out, in };
  void add(Direction direction, std::string_view bytes);
  void flush();
  void show_lines(std::string_view head);
  void show_body(std::string_view body, std::uint64_t size);

  const std::int64_t most_body_;
  Direction direction_ = Direction::none;
  std::string bytes_;         // of one direction, since the other had its turn, as far as they may be shown
  std::uint64_t total_ = 0;   // how many there were
  bool awaits_body_ = false;  // the server has said "100 Continue": what goes out next has no head
  std::string text_;          // of the exchange at hand
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::string> ended_;  // by hit
};

}  // namespace thrum::mode
