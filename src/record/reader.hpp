// Reading results: any encoding, any number of files, pipes too, damaged ones as far as they are whole.
//
// Room `record` knows one result's encodings: bytes to thrum::Result and back. It must not know HTTP, what is measured, or
// what is printed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/encoding.hpp"
#include "record/file_header.hpp"
#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum {

// One run: a native stream (a file may hold several, one after the other), or a whole file of another encoding.
struct Run {
  std::string file;  // as the user named it
  Encoding encoding = Encoding::native;
  FileHeader header;                    // of foreign files: all unknown
  std::vector<Event> events;            // those read so far
  std::optional<ClosingBooks> closing;  // none: not read yet, killed before its end, torn, or foreign
};

// What could not be read of one file.
struct Damage {
  std::string file;
  std::uint64_t offset = 0;  // of the first byte that could not be read (in the file; in a pipe, since its start)
  std::uint64_t places = 0;  // how many separate places
  std::uint64_t bytes = 0;   // how many bytes were passed over
  std::string what;          // what was wrong at `offset`
  // One line for stderr: the file, where, what was lost, and that the rest was used.
  std::string warning() const;
};

class Reader {
 public:
  virtual ~Reader() = default;

  // The next results, all of one run; empty: the end. They live until the next call. Blocks on a live pipe.
  // An error means that nothing more can be read (a file that can't be opened, is no results file, or holds damage
  // and ReaderOptions::strict).
  virtual Expected<std::span<const Result>> next() = 0;
  // The run of the batch that next() gave last. Lives, at the same address, as long as the reader.
  virtual const Run& run() const = 0;

  // Everything met so far, in the order of reading.
  virtual std::span<const std::unique_ptr<Run>> runs() const = 0;
  virtual std::span<const Damage> damage() const = 0;
  // Files that are the same as one before (given twice, or copied), one line for stderr each: what is in them counts twice.
  virtual std::span<const std::string> repeats() const = 0;

  // Whether next() has something to give without waiting for a writer (or the end). Waits at most `timeout`.
  virtual bool ready(Nanos timeout) = 0;
};

struct ReaderOptions {
  bool strict = false;  // damage is an error
  bool warmup = false;  // results of warm-ups are given as well, marked as such
  enum class Order : std::uint8_t {
    bulk,     // file after file: fastest; for reports, which need no order
    in_turn,  // one result of each file in turn, as vegeta's encode does; a file that ends drops out
  } order = Order::bulk;
  // Asked ten times a second, and after a signal, while a writer is waited for; true ends the waiting, and with it the reading,
  // with an error. `heard_from`: something has come, or it is a descriptor that somebody opened for us (standard input).
  // None: waits for as long as it takes.
  std::function<bool(bool heard_from)> give_up{};
};

// Reads `files` ("stdin" and "-" are standard input; none: standard input). Every file is opened and recognised before this
// returns, so that a wrong name among many fails before anything is printed. A file that is not results fails with one line
// that says what it is instead.
Expected<std::unique_ptr<Reader>> open_results(std::span<const std::string> files, ReaderOptions options = {});
// The same for an open descriptor, which stays the caller's. `name` is for messages.
Expected<std::unique_ptr<Reader>> open_results(int fd, std::string name, ReaderOptions options = {});

}  // namespace thrum
