// Room profile: where thrum itself spends CPU and memory, in files that pprof reads. It must not know what the program does.
//
// cpu: a sample of whatever thread is running, a hundred times in each second of CPU (SIGPROF). One at a time in a process, and
// only for a program: it takes a signal. Samples are kept in memory until they are written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "thrum/error.hpp"

namespace thrum::profile {

class CpuProfile {
 public:
  static Expected<std::unique_ptr<CpuProfile>> start();
  ~CpuProfile();  // stops, if that has not been done
  CpuProfile(const CpuProfile&) = delete;
  CpuProfile& operator=(const CpuProfile&) = delete;

  std::uint64_t samples() const;  // so far
  // Stops. What is returned is a whole file, in pprof's format of CPU profiles with native words.
  std::string finish();

 private:
  CpuProfile() = default;
  void stop();
  bool is_running_ = false;
};

}  // namespace thrum::profile
