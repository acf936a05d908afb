// What each flag of attack does that can be seen, and which two can't be seen together: the data of flag_pairs_test.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/result.hpp"
#include "wire_server.hpp"

namespace thrum::pairs {

using Text = std::string;
using Words = std::vector<std::string>;

struct Hit {
  Text attack, url;
  int code = 0;
  Outcome outcome = Outcome::ok;
  Timestamp sent, due;
  Nanos latency{0};
  bool has_headers = false;
  std::optional<Text> body;
};

struct SeenServer {
  std::vector<Words> requests;  // by connection
  std::vector<golden::WireArrival> arrivals;
};

// What could be seen of a run.
struct Seen {
  std::optional<Error> error;
  bool was_off_rate = false;
  std::vector<Hit> hits;                    // by when they were due
  SeenServer plain, other, on_unix, proxy;  // the targets' own; where -connect-to leads; on a unix socket; a proxy
  std::size_t questions = 0;                // of names
  Text printed;
  Text warnings, progress, file;        // the results' bytes
  std::optional<std::uint32_t> shards;  // as the results have it
  std::chrono::nanoseconds stayed{0};   // after the last hit's end

  std::vector<const SeenServer*> servers() const { return {&plain, &other, &on_unix, &proxy}; }
  Words requests() const;  // without those that open tunnels
  std::size_t connections() const;
};

// What a run has to have for a flag to be seen, besides other flags.
struct Needs {
  bool tls = false;        // the servers speak it, and targets are https
  bool names = false;      // targets' hosts are names
  bool moved = false;      // the targets redirect
  bool http2 = false;      // the servers speak that, and nothing else, where they don't speak TLS
  bool no_attack = false;  // what says how to attack, or what becomes of results, is left out
  bool time = false;       // answers take long enough for progress to be shown
};

struct Row {
  std::string_view flag;  // as the table of flags has it
  Words arguments;        // the flag, and what it needs to be seen. {P}, {O}, {X}, {D}: ports of plain, other, proxy, name server
  bool (*shows)(const Seen&);
  Needs needs = {};
};
std::span<const Row> rows();

// Flags without a row, and why.
struct NoRow {
  std::string_view flag, reason;
};
std::span<const NoRow> without_row();

// What is the matter with two flags, `first` and `second` in any order, unless a place is said to matter.
struct Exception {
  enum class Kind {
    refused,  // they exclude each other: one line, exit code 2, nothing sent
    told,     // one has no effect, and a line on stderr says so
    unseen,   // `second` leaves nothing to be seen beside `first`
  } kind;
  std::string_view first, second, reason;
};
std::span<const Exception> exceptions();

}  // namespace thrum::pairs
