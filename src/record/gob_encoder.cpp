// Results to gob, byte for byte as vegeta 12 writes them: four type definitions before the first result, then a message each
// with the fields that are not zero.
#include <array>

#include "base/timestamp.hpp"
#include "record/encoder.hpp"
#include "record/gob_value.hpp"
#include "record/header_groups.hpp"

namespace thrum {
namespace {

constexpr std::int64_t kResult = gob::kFirstFree, kTime = 65, kValues = 66, kHeader = 67;

struct ResultField {
  std::string_view name;
  std::int64_t type;
};
constexpr std::array<ResultField, 12> kFields = {{{"Attack", gob::kString},
                                                  {"Seq", gob::kUint},
                                                  {"Code", gob::kUint},
                                                  {"Timestamp", kTime},
                                                  {"Latency", gob::kInt},
                                                  {"BytesOut", gob::kUint},
                                                  {"BytesIn", gob::kUint},
                                                  {"Error", gob::kString},
                                                  {"Body", gob::kBytes},
                                                  {"Method", gob::kString},
                                                  {"URL", gob::kString},
                                                  {"Headers", kHeader}}};

void append_message(std::string_view message, std::string& out) { gob::append_bytes(message, out); }

// Starts the definition of type `id`, of the kind numbered `kind`: its name and number.
std::string definition(std::int64_t id, char kind, std::string_view name) {
  std::string d;
  gob::append_signed(-id, d);
  d += kind;
  d += '\x01';  // the first field, common to all kinds: {name, number}
  if (!name.empty()) {
    d += '\x01';
    gob::append_bytes(name, d);
    d += '\x01';
  } else {
    d += '\x02';
  }
  gob::append_signed(id, d);
  d += '\0';
  return d;
}

void append_definitions(std::string& out) {
  constexpr char kSlice = 2, kStruct = 3, kMap = 4, kEncodesItself = 5, kEnd = 0, kNextField = 1;
  std::string result = definition(kResult, kStruct, "Result");
  result += kNextField;
  gob::append_unsigned(kFields.size(), result);
  for (const ResultField& f : kFields) {
    result += kNextField;
    gob::append_bytes(f.name, result);
    result += kNextField;
    gob::append_signed(f.type, result);
    result += kEnd;
  }
  append_message(result + std::string(2, kEnd), out);

  append_message(definition(kTime, kEncodesItself, "Time") + std::string(2, kEnd), out);

  std::string header = definition(kHeader, kMap, "Header");
  header += kNextField;
  gob::append_signed(gob::kString, header);
  header += kNextField;
  gob::append_signed(kValues, header);
  append_message(header + std::string(2, kEnd), out);

  std::string values = definition(kValues, kSlice, "");
  values += kNextField;
  gob::append_signed(gob::kString, values);
  append_message(values + std::string(2, kEnd), out);
}

void append_big_endian(std::uint64_t value, int bytes, std::string& out) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}

// Go's binary form of a time: version, seconds since the year 1, nanoseconds, zone in minutes (-1: UTC), and in version 2 the
// zone's odd seconds.
void append_time(Timestamp t, std::string& out) {
  const std::int32_t odd = t.offset() % 60;
  out += static_cast<char>(odd == 0 ? 1 : 2);
  append_big_endian(static_cast<std::uint64_t>(t.seconds - kYearOne.seconds), 8, out);
  append_big_endian(static_cast<std::uint64_t>(t.nanos), 4, out);
  append_big_endian(static_cast<std::uint64_t>(t.zone == 0 ? -1 : t.offset() / 60), 2, out);
  if (odd != 0) out += static_cast<char>(odd);
}

class GobEncoder final : public Encoder {
 public:
  void begin(const FileHeader&, std::string&) override {}

  void append(std::span<const Result> results, std::string& out) override {
    if (!results.empty() && !std::exchange(defined_, true)) append_definitions(out);
    for (const Result& r : results) {
      message_.clear();
      append(r);
      append_message(message_, out);
    }
  }

 private:
  // Opens field `number` (from 1) of the result.
  void field(char number) {
    message_ += static_cast<char>(number - last_);
    last_ = number;
  }
  void number(char n, std::uint64_t value) {
    if (value == 0) return;
    field(n);
    gob::append_unsigned(value, message_);
  }
  void bytes(char n, std::string_view value) {
    if (value.empty()) return;
    field(n);
    gob::append_bytes(value, message_);
  }

  void append(const Result& r) {
    last_ = 0;
    gob::append_signed(kResult, message_);
    bytes(1, r.attack);
    number(2, r.seq);
    number(3, r.code);
    if (!r.timestamp.same_instant(kYearOne) || r.timestamp.zone != 0) {
      time_.clear();
      append_time(r.timestamp, time_);
      bytes(4, time_);
    }
    if (r.latency.count() != 0) {
      field(5);
      gob::append_signed(r.latency.count(), message_);
    }
    number(6, r.bytes_out);
    number(7, r.bytes_in);
    bytes(8, r.error);
    bytes(9, r.body.value_or(std::string_view()));
    bytes(10, r.method);
    bytes(11, r.url);
    if (r.has_headers) {
      field(12);
      append_headers(r.headers);
    }
    message_ += '\0';
  }

  void append_headers(std::span<const Header> headers) {
    const auto groups = groups_.of(headers, HeaderGroups::Order::first_seen);
    gob::append_unsigned(groups.size(), message_);
    for (const auto& group : groups) {
      gob::append_bytes(headers[group.headers.front()].name, message_);
      std::uint64_t values = 0;
      for (const std::uint32_t i : group.headers) values += headers[i].no_value ? 0 : 1;
      gob::append_unsigned(values, message_);
      for (const std::uint32_t i : group.headers)
        if (!headers[i].no_value) gob::append_bytes(headers[i].value, message_);
    }
  }

  bool defined_ = false;
  char last_ = 0;  // number of the field written last
  std::string message_, time_;
  HeaderGroups groups_;
};

}  // namespace

std::unique_ptr<Encoder> make_gob_encoder() { return std::make_unique<GobEncoder>(); }

}  // namespace thrum
