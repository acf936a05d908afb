// One line of vegeta's JSON encoding to a Result: lenient exactly where vegeta is (raw control characters and invalid UTF-8 in
// strings, unknown keys, nulls), strict where it is (types, ranges, what may follow the object). Stricter in two ways, because
// they are what damage looks like: no NUL, and no key twice in a whole result (in a few fields without a time, the last counts).
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.hpp"
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
  void check_for_damage();
  void parse_object(Result& into);
  bool parse_usual_members(Result& into);
  void parse_text(std::string_view& field);
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
  void parse_outcome(Result& into);
  void skip_value();

  void skip_blank() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
  }
  bool take(char c) {
    if (error_ != nullptr || at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool take_null() { return take_literal("null"); }
  template <std::size_t kSize>
  bool take_literal(const char (&literal)[kSize]) {
    if (error_ != nullptr || static_cast<std::size_t>(end_ - at_) < kSize - 1 || std::memcmp(at_, literal, kSize - 1) != 0) return false;
    at_ += kSize - 1;
    return true;
  }
  // One of kKeys, `place`, in its usual spelling.
  template <std::size_t kSize>
  bool take_key(const char (&quoted)[kSize], unsigned place) {
    if (!take_literal(quoted)) return false;
    seen_ |= std::uint32_t{1} << place;
    return true;
  }
  void expect(char c, const char* otherwise);
  void fail(const char* why);

  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* error_ = nullptr;
  Scratch* scratch_ = nullptr;
  std::vector<Header> headers_;
  TimeReader times_;
  std::uint32_t seen_ = 0;          // keys met on this line, by their place in kKeys
  const char* repeated_ = nullptr;  // behind the first one met twice
};

// Names of outcomes in JSON: "dns", "connect", …
std::string_view name_of(Outcome o);

}  // namespace thrum
