// Results from CSV: by name where the first row names the columns, else by position (vegeta's order, of which older releases
// wrote fewer). A record that is no result is passed over by one line, so that a stray quote swallows nothing.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "record/base64.hpp"
#include "record/csv_record.hpp"
#include "record/decoder.hpp"
#include "record/local_zone.hpp"

namespace thrum {
namespace {

constexpr std::size_t kBatch = 256;
constexpr std::string_view kHole("\0\0\0\0\0\0\0\0", 8);

enum Column : std::uint8_t {
  kTimestamp,
  kCode,
  kLatency,
  kBytesOut,
  kBytesIn,
  kError,
  kBody,
  kAttack,
  kSeq,
  kMethod,
  kUrl,
  kHeaders,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kNames = {"timestamp", "code",   "latency", "bytes_out", "bytes_in", "error",
                                                           "body",      "attack", "seq",     "method",    "url",      "headers"};
constexpr std::size_t kFewest = 6;  // as the oldest releases wrote: up to the error

// As Go reads numbers: a sign only where the type has one.
template <class Number>
bool parse_number(std::string_view text, Number& into) {
  if (std::is_signed_v<Number> && text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

class CsvDecoder final : public Decoder {
 public:
  explicit CsvDecoder(Input& input) : input_(input) {
    input_.begin_run(Encoding::csv);
    rows_.reserve(kBatch);
    for (std::size_t i = 0; i < kColumns; ++i) place_[i] = i;
  }

  std::span<const Result> next() override {
    rows_.clear();
    scratch_.clear();
    release();
    while (!input_.failure) {
      while (rows_.size() < kBatch && take_record()) {
      }
      if (!rows_.empty() || input_.failure) break;
      release();
      if (input_.source.ended()) break;
      if (const auto more = input_.source.more(); !more) input_.failure = more.error();
    }
    input_.starved |= used_ == input_.source.window().size();
    return rows_;
  }

 private:
  void release() {
    input_.source.consume(used_);
    used_ = 0;
  }

  // The next record of the window; false: there is no whole one.
  bool take_record() {
    const std::string_view text = input_.source.window().substr(used_);
    const bool ended = input_.source.ended();
    input_.starved = text.empty();
    if (text.empty() || (text.size() < retry_size_ && !ended)) return false;
    retry_size_ = 0;
    switch (parser_.parse(text, ended || text.size() > kLongestRecord, scratch_)) {
      case CsvRecordParser::Outcome::whole:
        take_fields(text);
        return !input_.failure;
      case CsvRecordParser::Outcome::bad:
        return pass_over_line(text, parser_.why(), parser_.error_offset());
      case CsvRecordParser::Outcome::incomplete:
        break;
    }
    return starve(text.size());
  }

  bool starve(std::size_t held) {
    constexpr std::size_t kLarge = 4 << 20;  // a record that large is not parsed again for every few bytes that come
    input_.starved = true;
    if (held > kLarge) retry_size_ = held + held / 2;
    return false;
  }

  void take_fields(std::string_view text) {
    const auto& fields = parser_.fields();
    const std::size_t size = parser_.size();
    const bool blank = fields.size() == 1 && fields[0].empty();
    if (!blank && !(std::exchange(first_, false) && take_header_row())) {
      rows_.emplace_back();
      if (const char* const why = convert(rows_.back(), text.substr(size))) {
        rows_.pop_back();
        pass_over_line(text, why, 0);
        return;
      }
      count_columns();
    }
    used_ += size;
  }

  // Whether the only record so far has another number of columns than this one and the next: then it is the damaged one.
  bool first_was_odd(std::string_view rest) const {
    CsvRecordParser next;
    Scratch scratch;
    return accepted_ == 1 && !named_ && next.parse(rest, input_.source.ended(), scratch) == CsvRecordParser::Outcome::whole &&
           next.fields().size() == parser_.fields().size();
  }

  void count_columns() {
    if (columns_ != 0 && columns_ != parser_.fields().size())
      input_.damaged(input_.source.offset() + used_, 0, "a record of another number of columns before it");
    columns_ = parser_.fields().size();
    ++accepted_;
  }

  // One line, not the whole record: if a stray quote opened it, the lines it swallowed are results.
  bool pass_over_line(std::string_view text, const char* why, std::size_t at) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos && !input_.source.ended() && text.size() <= kLongestRecord) return starve(text.size());
    const std::size_t bytes = newline == std::string_view::npos ? text.size() : newline + 1;
    first_ = false;
    input_.damaged(input_.source.offset() + used_ + at, bytes, why);
    used_ += bytes;
    return !input_.failure;
  }

  // Whether the record names columns; then they are read by these names from now on.
  bool take_header_row() {
    const auto& fields = parser_.fields();
    std::array<std::size_t, kColumns> place{};
    place.fill(kAbsent);
    for (std::size_t c = 0; c < kColumns; ++c)
      for (std::size_t i = 0; i < fields.size() && place[c] == kAbsent; ++i)
        if (equal_ignoring_case(trim(fields[i]), kNames[c])) place[c] = i;
    if (place[kTimestamp] == kAbsent || (place[kLatency] == kAbsent && place[kCode] == kAbsent)) return false;
    place_ = place;
    named_ = true;
    columns_ = fields.size();
    return true;
  }

  std::optional<std::string_view> field(Column c) const {
    const auto& fields = parser_.fields();
    return place_[c] < fields.size() ? std::optional(fields[place_[c]]) : std::nullopt;
  }

  template <class Number>
  bool number(Column c, Number& into) const {
    const auto text = field(c);
    if (!text || (named_ && text->empty())) return true;
    return parse_number(*text, into);
  }

  // Null, or what is wrong. `rest` is what follows the record.
  const char* convert(Result& r, std::string_view rest) {
    const std::size_t columns = parser_.fields().size();
    if (columns_ == 0 && columns < kFewest) return "too few columns";
    if (columns_ != 0 && columns != columns_ && !first_was_odd(rest))
      return columns < columns_ ? "fewer columns than before" : "more columns than before";
    std::int64_t timestamp = 0, latency = 0;
    if (!number(kTimestamp, timestamp)) return "the timestamp is not a whole number of nanoseconds";
    if (!number(kCode, r.code)) return "the code is not a number from 0 to 65535";
    if (!number(kLatency, latency)) return "the latency is not a whole number of nanoseconds";
    if (!number(kBytesOut, r.bytes_out)) return "bytes_out is not a whole number";
    if (!number(kBytesIn, r.bytes_in)) return "bytes_in is not a whole number";
    if (!number(kSeq, r.seq)) return "seq is not a whole number";
    r.timestamp = Timestamp::from_unix(Nanos(timestamp));
    r.timestamp.zone = zone_.at(r.timestamp.seconds);
    r.latency = Nanos(latency);
    r.error = field(kError).value_or("");
    r.attack = field(kAttack).value_or("");
    r.method = field(kMethod).value_or("");
    r.url = field(kUrl).value_or("");
    // What is left where a file was not written: the row may be the ends of two.
    for (const std::string_view text : {r.error, r.attack, r.method, r.url})
      if (text.find(kHole) != std::string_view::npos) return "a hole of NULs";
    r.outcome = outcome_of(r.code, r.error);
    if (const auto body = field(kBody)) {
      r.body = decode(*body);
      if (!r.body) return "the body is not base64";
    }
    if (const auto headers = field(kHeaders); headers && !headers->empty()) return convert_headers(*headers, r);
    return nullptr;
  }

  const char* convert_headers(std::string_view text, Result& r) {
    const auto block = decode(text);
    if (!block) return "the headers are not base64";
    headers_.clear();
    if (const char* const why = parse_header_block(*block, headers_, scratch_)) return why;
    r.has_headers = true;
    r.headers = scratch_.copy(std::span<const Header>(headers_));
    return nullptr;
  }

  std::optional<std::string_view> decode(std::string_view text) {
    if (text.empty()) return std::string_view();
    const std::size_t room = text.size() / 4 * 3 + 6;
    char* const bytes = scratch_.take(room);
    const auto size = decode_base64(text, bytes);
    scratch_.give_back(room - size.value_or(0));
    return size ? std::optional(std::string_view(bytes, *size)) : std::nullopt;
  }

  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

  Input& input_;
  CsvRecordParser parser_;
  LocalZone zone_;
  std::array<std::size_t, kColumns> place_{};  // of each column in a record
  bool named_ = false;
  std::size_t columns_ = 0;     // of every record, as the first had them; 0: not known yet
  std::uint64_t accepted_ = 0;  // records that were results
  bool first_ = true;
  std::vector<Result> rows_;
  std::vector<Header> headers_;
  Scratch scratch_;
  std::size_t used_ = 0;        // bytes of the window that are done with
  std::size_t retry_size_ = 0;  // parse again when this much is there
};

}  // namespace

std::unique_ptr<Decoder> make_csv_decoder(Input& input) { return std::make_unique<CsvDecoder>(input); }

}  // namespace thrum
