// One CSV record to fields (RFC 4180, with blanks before a field skipped, as vegeta reads it), and a block of HTTP header lines,
// as its last column holds them, to headers.
#pragma once

#include <string_view>
#include <vector>

#include "record/scratch.hpp"
#include "thrum/result.hpp"

namespace thrum {

class CsvRecordParser {
 public:
  enum class Outcome : std::uint8_t { whole, incomplete, bad };

  // The record at the start of `text`, which is all there will be if `ended`. After `whole`, size() bytes held it and fields()
  // its fields, which point into `text` and `scratch`. After `bad`, why() says what is wrong and error_offset() where.
  Outcome parse(std::string_view text, bool ended, Scratch& scratch);
  std::size_t size() const { return size_; }
  const std::vector<std::string_view>& fields() const { return fields_; }
  const char* why() const { return why_; }
  std::size_t error_offset() const { return size_; }

 private:
  Outcome parse_quoted(const char* p, const char* end, bool ended, Scratch& scratch, const char*& after);
  Outcome bad(const char* why, std::size_t at);

  std::vector<std::string_view> fields_;
  std::size_t size_ = 0;
  const char* why_ = "";
};

// Lines up to an empty one, folded ones joined, names in canonical case ("Content-Type"). Null, or what is wrong.
const char* parse_header_block(std::string_view block, std::vector<Header>& into, Scratch& scratch);

}  // namespace thrum
