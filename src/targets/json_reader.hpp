// JSON read from a list as it arrives, one token at a time and in one pass: no document is ever held whole, so a list may be
// endless, an array as long as it likes, an object spread over lines, and a fault is told with its line as soon as it is seen.
//
// As lenient as vegeta's reader where that loses nothing: strings keep invalid UTF-8 and raw control characters as they are,
// numbers may have leading zeros, half a surrogate pair is U+FFFD. A line never ends inside a string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "targets/input.hpp"

namespace thrum::targets {

class JsonReader {
 public:
  static constexpr int kEnd = -1;

  explicit JsonReader(Input input) : input_(std::move(input)) {}

  // The byte that follows white space, which is passed over; it is not taken itself. kEnd: the list ends here.
  int peek();
  // The same, over Unicode's white space too: what vegeta trims around a line.
  int peek_between_values();
  void advance() { ++at_; }

  // These stand at the first byte of what they read, and return false after fault().
  bool string(std::string_view& out);  // out is valid until the next call
  bool number(std::string_view& out);  // as it is written; likewise
  bool literal(std::string_view word);
  bool skip_value();
  // What stands here, for a message: a piece of the line, "the end".
  std::string found();

  // Notes what is wrong, with file and line; the first fault stays. Returns false.
  bool fault(std::string_view text);
  Error error() const { return *error_; }
  // The end that was met is a fault, or an error in reading, which error() has.
  bool failed() { return error_ || (input_.error() && !fault({})); }

  std::uint64_t line() const { return line_; }
  // A new value may take kLongest bytes from here on.
  void start_value() { value_from_ = offset(); }

  const std::string& name() const { return input_.name(); }
  void interrupt() { input_.interrupt(); }
  bool interrupted() const { return input_.interrupted(); }

 private:
  bool more();
  bool skip_blanks();
  int get();
  std::uint64_t offset() const { return input_.total() - static_cast<std::uint64_t>(end_ - at_); }
  bool escaped_string(std::string_view& out, std::size_t plain);
  bool escape();
  bool unicode_escape();
  bool four_hex_digits(std::uint32_t& value);
  void append_utf8(std::uint32_t point);
  bool skip_string();
  bool scalar();
  bool skip_number();
  bool key();

  Input input_;
  const char* at_ = nullptr;    // the next byte, in input_'s buffer
  const char* end_ = nullptr;   // of what is there
  const char* from_ = nullptr;  // what input_ believes is the next byte
  std::uint64_t line_ = 1;
  std::uint64_t value_from_ = 0;
  std::string scratch_;  // a string with escapes, decoded
  std::string open_;     // closing brackets that a skipped value still needs
  std::optional<Error> error_;
};

}  // namespace thrum::targets
