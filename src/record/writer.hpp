// The sink of an attack's results: encodes on run()'s thread and hands blocks to a thread of its own, which writes them. The
// attack never waits for the output: what the output can't take yet goes, beyond a small bounded queue, to an unlinked
// spool file. Whatever kills the process, what was written is readable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.hpp"
#include "record/encoder.hpp"
#include "record/file_header.hpp"
#include "thrum/attacker.hpp"
#include "thrum/error.hpp"

namespace thrum {

struct WriterOptions {
  Encoding encoding = Encoding::native;
  EncoderOptions encoder{};
  std::string name = "stdout";           // of the output, for messages
  std::string spool_folder{};            // where to spool; empty: beside the file, for a descriptor $TMPDIR or /tmp
  std::size_t queue_bytes = 128 * 1024;  // encoded bytes that may wait in memory
};

class ResultsWriter : public ResultSink {
 public:
  // Creates (or truncates) `path`, written under that name from the start.
  static Expected<std::unique_ptr<ResultsWriter>> to_file(const std::string& path, const FileHeader& header, WriterOptions options = {});
  // Writes to an open descriptor, which stays the caller's and whose flags are not touched.
  static Expected<std::unique_ptr<ResultsWriter>> to_fd(int fd, const FileHeader& header, WriterOptions options = {});

  // Errors (from any of the three): the path, what went wrong, and how much was written whole; ErrorKind::broken_pipe when
  // the reader of the output went away.
  Expected<void> take(std::span<const Result> results) override = 0;
  Expected<void> tick() override = 0;
  // Ends the file with the run's books and waits until everything is out. Once, last. A writer that is destroyed without it
  // gives up what the output has not taken yet.
  virtual Expected<void> finish(const Summary& summary) = 0;

  virtual void event(const Event& event) = 0;
  // Most bytes that ever waited on disk because the output was slower than the attack; 0: none did.
  virtual std::uint64_t spooled() const = 0;
};

}  // namespace thrum
