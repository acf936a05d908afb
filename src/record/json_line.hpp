// One line of vegeta's JSON encoding to a Result: lenient exactly where vegeta is (raw control characters and invalid UTF-8 in
// strings, unknown and repeated keys, nulls), strict where it is (types, ranges, what may follow the object).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/scratch.hpp"
#include "thrum/result.hpp"

namespace thrum {

class JsonLineParser {
 public:
  // Fills `into` from `line` (without its newline). Its views point into `line` and into `scratch`.
  // Returns null, or what is wrong, as a word or two; error_offset() then says where in the line.
  const char* parse(std::string_view line, Result& into, Scratch& scratch);
  std::size_t error_offset() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  void parse_object(Result& into);
  void parse_member(std::string_view key, Result& into);
  void parse_headers(Result& into);
  void parse_header_values(std::string_view name);
  void forget_header(std::string_view name);

  std::string_view parse_string();  // with at_ on the opening quote
  std::string_view unescape(const char* from, const char* first_escape);
  char* parse_escape(char* into);
  std::uint64_t parse_unsigned(std::uint64_t most);
  std::int64_t parse_signed();
  Timestamp parse_time();
  void parse_body(Result& into);
  void skip_value();

  void skip_blank();
  bool take(char c);
  bool take_null();
  void expect(char c, const char* otherwise);
  void fail(const char* why);

  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* error_ = nullptr;
  Scratch* scratch_ = nullptr;
  std::vector<Header> headers_;
};

// Names of outcomes in JSON: "dns", "connect", …
std::string_view name_of(Outcome o);

}  // namespace thrum
