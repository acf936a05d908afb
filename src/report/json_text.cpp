#include "report/json_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/text.hpp"
#include "base/timestamp.hpp"

namespace thrum::report {
namespace {

// The shortest digits that read back as `value`: plain from 1e-6 up to 1e21, else with an exponent without leading zeros.
void append_double(double value, std::string& out) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific).ptr;
  const std::string_view all(text, static_cast<std::size_t>(end - text));
  const std::size_t e = all.find('e');
  std::string digits(all.substr(0, 1));
  if (e > 1) digits += all.substr(2, e - 2);
  int exponent = 0;  // of the first digit
  std::from_chars(all.data() + e + (all[e + 1] == '+' ? 2 : 1), end, exponent);

  if (std::signbit(value)) out += '-';
  const auto size = static_cast<int>(digits.size());
  if (value != 0 && (exponent < -6 || exponent >= 21)) {
    out += digits[0];
    if (size > 1) (out += '.') += digits.substr(1);
    out += exponent < 0 ? "e-" : "e+";
    out += std::to_string(std::abs(exponent));
  } else if (exponent < 0) {
    (out += "0.").append(static_cast<std::size_t>(-exponent - 1), '0') += digits;
  } else if (exponent >= size - 1) {
    (out += digits).append(static_cast<std::size_t>(exponent - (size - 1)), '0');
  } else {
    ((out += digits.substr(0, static_cast<std::size_t>(exponent) + 1)) += '.') += digits.substr(static_cast<std::size_t>(exponent) + 1);
  }
}

}  // namespace

void JsonWriter::value_follows() {
  if (comma_) out_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
  value_follows();
  out_ += '{';
  comma_ = false;
  return *this;
}
JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  comma_ = true;
  return *this;
}
JsonWriter& JsonWriter::begin_array() {
  value_follows();
  out_ += '[';
  comma_ = false;
  return *this;
}
JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  string(name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  value_follows();
  out_ += '"';
  while (!text.empty()) {
    std::uint32_t point = 0;
    const std::size_t length = utf8_length(text, point);
    const char c = text[0];
    if (length == 0)
      out_ += "\\ufffd";
    else if (c == '"' || c == '\\')
      (out_ += '\\') += c;
    else if (c == '\b')
      out_ += "\\b";
    else if (c == '\f')
      out_ += "\\f";
    else if (c == '\n')
      out_ += "\\n";
    else if (c == '\r')
      out_ += "\\r";
    else if (c == '\t')
      out_ += "\\t";
    else if (point < 0x20 || c == '<' || c == '>' || c == '&' || point == 0x2028 || point == 0x2029)
      out_ += fmt::format("\\u{:04x}", point);
    else
      out_ += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  if (!std::isfinite(value)) return null();
  value_follows();
  append_double(value, out_);
  return *this;
}
JsonWriter& JsonWriter::integer(std::int64_t value) {
  value_follows();
  out_ += std::to_string(value);
  return *this;
}
JsonWriter& JsonWriter::unsigned_integer(std::uint64_t value) {
  value_follows();
  out_ += std::to_string(value);
  return *this;
}
JsonWriter& JsonWriter::time(Timestamp value) {
  value_follows();
  out_ += '"';
  append_rfc3339(value, out_);
  out_ += '"';
  return *this;
}
JsonWriter& JsonWriter::boolean(bool value) {
  value_follows();
  out_ += value ? "true" : "false";
  return *this;
}
JsonWriter& JsonWriter::null() {
  value_follows();
  out_ += "null";
  return *this;
}

}  // namespace thrum::report
