// What thrum tells the shell at its end; docs/exit-codes.md is for people.
#pragma once

namespace thrum::cli {

enum class ExitCode : int {
  done = 0,           // as asked; also when somebody stopped it once, and when the reader of our output left
  failed = 1,         // could not run
  usage = 2,          // asked for in a way that makes no sense
  off_rate = 3,       // -strict-rate: we were the limit; doctor: this machine would be
  gate = 4,           // -fail-if: the run failed by one
  interrupted = 130,  // stopped twice: what was in flight was cut
};

}  // namespace thrum::cli
