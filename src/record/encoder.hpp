// Results to bytes, one class per encoding behind one interface. An encoder appends to the caller's buffer and does no I/O.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "record/encoding.hpp"
#include "record/file_header.hpp"
#include "thrum/result.hpp"

namespace thrum {

class Encoder {
 public:
  virtual ~Encoder() = default;
  // What stands before the first result. Once, first; for the native encoding again, to begin another run.
  virtual void begin(const FileHeader& header, std::string& out) = 0;
  virtual void append(std::span<const Result> results, std::string& out) = 0;
  // Ends the open block, so that `out` holds everything appended so far.
  virtual void flush(std::string&) {}
  // How many of the results appended so far `out` does not hold yet.
  virtual std::size_t unflushed() const { return 0; }
  virtual void event(const Event&, std::string&) {}
  virtual void finish(const ClosingBooks&, std::string&) {}
};

struct EncoderOptions {
  bool csv_header = false;  // a first row that names the columns
};

std::unique_ptr<Encoder> make_encoder(Encoding encoding, EncoderOptions options = {});

}  // namespace thrum
