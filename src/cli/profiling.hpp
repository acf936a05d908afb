// -profile: a profile of thrum itself while a command runs, into cpu.pprof or heap.pprof in the current folder.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "profile/cpu_profile.hpp"
#include "thrum/error.hpp"

namespace thrum::cli {

class Profiling {
 public:
  // "cpu" or "heap". The file is opened now: what can't be written is said before anything is done.
  static Expected<Profiling> start(std::string_view what);

  // Writes the profile. What is returned is one line for a person: where it is, and what reads it.
  Expected<std::string> finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<profile::CpuProfile> cpu_;  // none: heap
};

}  // namespace thrum::cli
