// What the server saw and when, a line of JSON for each request: for books to be compared by, and arrivals with a schedule.
//
//   {"ns":1764580000123456789,"method":"GET","target":"/api/report","seq":12}
//
// `ns` is the wall clock when the request was complete; `seq` is X-Thrum-Seq, where a request has one.
#pragma once

#include <memory>
#include <string>

#include "base/fd.hpp"
#include "net/timers.hpp"
#include "serve/request_parser.hpp"
#include "thrum/error.hpp"

namespace thrum::serve {

class AccessLog {
 public:
  // Replaces the file. Lines are written every second, when there are many, and at the end.
  static Expected<std::unique_ptr<AccessLog>> create(const std::string& path, net::Timers& timers);
  ~AccessLog();

  void note(const RequestHead& head);
  // Lines that the disk did not take.
  std::uint64_t lost() const { return lost_; }

 private:
  AccessLog(Fd file, net::Timers& timers);
  void write();

  Fd file_;
  net::Timer later_;
  std::string lines_;
  std::uint64_t waiting_ = 0, lost_ = 0;
};

}  // namespace thrum::serve
