// The results a command was given, read batch by batch, with an ear for being told to end. Shared by the modes that read results.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/reader.hpp"
#include "report/input.hpp"
#include "thrum/error.hpp"
#include "thrum/metrics.hpp"

namespace thrum::mode {

class ResultsInput {
 public:
  // `files`: results files; "stdin" and "-" are standard input, and so are none.
  explicit ResultsInput(std::vector<std::string> files);

  // Waits until there is enough of each file to know what it is. An error is also to be told to end meanwhile.
  Expected<void> open(ReaderOptions options);
  // The next results, all of one run (reader().run()); empty: the end, or told to end (was_interrupted()). Live until the
  // next call.
  Expected<std::span<const Result>> next();
  bool was_interrupted() const { return interrupted_; }
  // Once open.
  const Reader& reader() const { return *reader_; }

  const std::vector<std::string>& files() const { return files_; }

  // When nothing can come of what is read: in `attack | tee FILE | report` our end would be the end of the attack, and of what
  // FILE still gets. So standard input, where it is a pipe, is read to its end and forgotten.
  bool reads_pipe() const;
  void let_through() const;

  // From any thread or signal handler. stop(): results that come through a pipe are still read to their end, since whoever
  // sends them was told to stop as well, but a FIFO that nothing came from is waited for no longer; files are read no further. cut():
  // nothing is read any more.
  void stop() noexcept { stopped_.store(true, std::memory_order_relaxed); }
  void cut() noexcept { cut_.store(true, std::memory_order_relaxed); }

 private:
  bool is_over() const { return cut_.load(std::memory_order_relaxed) || (!live_ && stopped_.load(std::memory_order_relaxed)); }
  bool gives_up(bool heard_from);

  std::vector<std::string> files_;
  std::atomic<bool> stopped_{false}, cut_{false};
  bool live_ = false;  // some file is a pipe
  bool interrupted_ = false;
  std::unique_ptr<Reader> reader_;
};

// Success as the run defined it, else as vegeta does.
StatusSet success_of(const Run& run);
// Whether thrum recorded it while it ran, so that its start and what it was asked are known.
bool is_recorded_live(const Run& run);
// What the run was asked to do: known of runs that thrum recorded.
std::optional<report::Plan> plan_of(const Run& run);

}  // namespace thrum::mode
