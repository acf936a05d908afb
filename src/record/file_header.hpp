// What a native results file says about its run besides the results: the header at its start, events on the way, and the
// books at its end. All three are JSON objects in the file (docs/results-format.md), so fields can be added later; a reader
// ignores what it does not know. Files of other encodings have none of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thrum/attacker.hpp"
#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum {

// A target's part in an attack. A name, a URL or both may be shared by several; they are one here.
struct TargetPart {
  std::string name, method, url;
  std::uint64_t weight = 1;
};

// How the hits of an attack were to be spread over its targets; of attacks where there is something to tell.
struct TargetMix {
  static constexpr std::size_t kMostParts = 200;  // with a part of their own

  std::string order;              // "sequence", "shuffle", "random", "weighted"; empty: nothing is told, and there are no parts
  std::vector<TargetPart> parts;  // those of the greatest weight, as in the list; without order by weight all weigh alike
  std::uint64_t others = 0, others_weight = 0;  // how many there are besides, and what they weigh together
};

struct FileHeader {
  std::string tool;     // "thrum" or whoever wrote it; empty: unknown
  std::string version;  // of the tool
  std::string run_id;   // 32 hexadecimal digits, different for every run; shards of one run share it; empty: unknown
  std::string attack;   // -name
  std::string host;     // where it ran
  std::string source;   // for results converted from another encoding: from which; empty: recorded live
  Timestamp start;      // wall clock of t = 0
  std::string shape;    // the rate as the user would type it
  std::uint64_t seed = 0;
  double asked_rate = 0;                                     // hits per second; 0: a closed loop, or unknown
  Nanos duration{0};                                         // asked for; 0: open-ended
  std::uint64_t hits = kUnlimited;                           // asked for
  LatencyClock latency_clock = LatencyClock::service;        // that it is judged by, and by every later reader unless told otherwise
  std::string success = "200-399";                           // codes that count as success
  std::vector<std::pair<std::string, std::string>> options;  // the flags in force, as they would be typed
  TargetMix mix;
};

// A moment of the run worth a mark on a chart: a rate change, a pause, a stage.
struct Event {
  Nanos at{0};         // from the run's start
  std::string kind;    // "rate", "pause", "resume", "stage", "stop", …
  std::string detail;  // for people
};

// The end of a run that was not killed: its books, as run() gave them, and what became of its results on the way to disk.
struct ClosingBooks {
  Summary summary;
  std::uint64_t results = 0;        // results written
  std::uint64_t spooled_bytes = 0;  // most bytes that waited on disk because the output was slower than the attack
};

std::string to_json(const FileHeader& header);
std::string to_json(const Event& event);
std::string to_json(const ClosingBooks& books);
Expected<FileHeader> file_header_from_json(std::string_view json);
Expected<Event> event_from_json(std::string_view json);
Expected<ClosingBooks> closing_books_from_json(std::string_view json);

std::string new_run_id();

}  // namespace thrum
