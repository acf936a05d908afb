// What can go wrong, as a value. Nothing is thrown across thrum's borders; an Error is one line that says what, where and
// what would be right, ready to be shown to a person.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace thrum {

enum class ErrorKind : std::uint8_t {
  failure,      // could not be done: a missing file, a refused port to listen on, a full disk
  usage,        // asked for in a way that makes no sense: a bad flag value, a guardrail
  broken_pipe,  // the reader of our output went away: an ending, not a fault
};

struct Error {
  ErrorKind kind = ErrorKind::failure;
  std::string text;  // one line, no final full stop, no newline
};

template <class T>
using Expected = std::expected<T, Error>;

inline std::unexpected<Error> failure(std::string text) { return std::unexpected(Error{ErrorKind::failure, std::move(text)}); }
inline std::unexpected<Error> usage_error(std::string text) { return std::unexpected(Error{ErrorKind::usage, std::move(text)}); }

}  // namespace thrum
