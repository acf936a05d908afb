// Results to JSON lines and to CSV, byte for byte as vegeta writes them. JSON has room for what only thrum knows: keys of our
// own, behind vegeta's, where there is something to say. CSV has not.
#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "base/timestamp.hpp"
#include "record/base64.hpp"
#include "record/decoder.hpp"
#include "record/encoder.hpp"
#include "record/header_groups.hpp"
#include "record/json_line.hpp"
#include "record/json_text.hpp"

namespace thrum {
namespace {

template <class Number>
void append_number(Number n, std::string& out) {
  const fmt::format_int text(n);
  out.append(text.data(), text.size());
}

class JsonEncoder final : public Encoder {
 public:
  void begin(const FileHeader&, std::string&) override {}

  void append(std::span<const Result> results, std::string& out) override {
    for (const Result& r : results) append(r, out);
  }

 private:
  void append(const Result& r, std::string& out) {
    out += "{\"attack\":";
    append_json_string(r.attack, out);
    number("seq", r.seq, out);
    number("code", r.code, out);
    out += ",\"timestamp\":\"";
    append_rfc3339(r.timestamp, out);
    out += '"';
    number("latency", r.latency.count(), out);
    number("bytes_out", r.bytes_out, out);
    number("bytes_in", r.bytes_in, out);
    out += ",\"error\":";
    append_json_string(r.error, out);
    out += ",\"body\":";
    if (r.body) {
      out += '"';
      append_base64(*r.body, out);
      out += '"';
    } else {
      out += "null";
    }
    out += ",\"method\":";
    append_json_string(r.method, out);
    out += ",\"url\":";
    append_json_string(r.url, out);
    out += ",\"headers\":";
    append_headers(r, out);
    append_own(r, out);
    out += "}\n";
  }

  template <class Number>
  static void number(std::string_view key, Number n, std::string& out) {
    out += ",\"";
    out += key;
    out += "\":";
    append_number(n, out);
  }

  void append_headers(const Result& r, std::string& out) {
    if (!r.has_headers) {
      out += "null";
      return;
    }
    char before = '{';
    if (r.headers.empty()) out += before;
    for (const auto& group : groups_.of(r.headers, HeaderGroups::Order::first_seen)) {
      const Header& first = r.headers[group.headers.front()];
      out += before;
      append_json_string(first.name, out);
      out += ':';
      append_values(r.headers, group, out);
      before = ',';
    }
    out += '}';
  }

  static void append_values(std::span<const Header> headers, const HeaderGroups::Group& group, std::string& out) {
    const Header& first = headers[group.headers.front()];
    if (first.no_value && group.headers.size() == 1) {
      out += first.value == "null" ? "null" : "[]";
      return;
    }
    char before = '[';
    for (const std::uint32_t i : group.headers) {
      if (headers[i].no_value) continue;
      out += before;
      append_json_string(headers[i].value, out);
      before = ',';
    }
    if (before == '[') out += before;
    out += ']';
  }

  static void append_own(const Result& r, std::string& out) {
    const auto time = [&](std::string_view key, Nanos t) {
      if (t != Result::kNone) number(key, t.count(), out);
    };
    time("lag", r.lag);
    time("first_byte", r.first_byte);
    time("dns", r.dns);
    time("connect", r.connect);
    time("tls", r.tls);
    if (r.seen_status != 0 && r.seen_status != r.code) number("seen_status", r.seen_status, out);
    if (r.retries != 0) number("retries", static_cast<unsigned>(r.retries), out);
    if (r.redirects != 0) number("redirects", static_cast<unsigned>(r.redirects), out);
    time("redirecting", r.redirecting);
    if (r.is_warmup) out += ",\"warmup\":true";
    if (r.outcome != Outcome::unknown && r.outcome != outcome_of(r.code, r.error)) {
      out += ",\"outcome\":\"";
      out += name_of(r.outcome);
      out += '"';
    }
    if (r.name.empty()) return;
    out += ",\"name\":";
    append_json_string(r.name, out);
  }

  HeaderGroups groups_;
};

class CsvEncoder final : public Encoder {
 public:
  explicit CsvEncoder(bool header) : header_(header) {}

  void begin(const FileHeader&, std::string& out) override {
    if (std::exchange(header_, false)) out += "timestamp,code,latency,bytes_out,bytes_in,error,body,attack,seq,method,url,headers\n";
  }

  void append(std::span<const Result> results, std::string& out) override {
    for (const Result& r : results) append(r, out);
  }

 private:
  void append(const Result& r, std::string& out) {
    append_number(unix_nanos(r.timestamp), out);
    out += ',';
    append_number(r.code, out);
    out += ',';
    append_number(r.latency.count(), out);
    out += ',';
    append_number(r.bytes_out, out);
    out += ',';
    append_number(r.bytes_in, out);
    out += ',';
    append_field(r.error, out);
    out += ',';
    append_base64(r.body.value_or(std::string_view()), out);
    out += ',';
    append_field(r.attack, out);
    out += ',';
    append_number(r.seq, out);
    out += ',';
    append_field(r.method, out);
    out += ',';
    append_field(r.url, out);
    out += ',';
    if (r.has_headers) append_headers(r.headers, out);
    out += '\n';
  }

  // Quoted when it holds a comma, a quote or a line end, when it starts with a blank, and when it is \. (which some databases
  // take for the end of the data).
  static void append_field(std::string_view s, std::string& out) {
    if (!s.empty() && (s == "\\." || starts_blank(s) || s.find_first_of(",\"\r\n") != std::string_view::npos)) {
      out += '"';
      for (const char c : s) {
        if (c == '"') out += '"';
        out += c;
      }
      out += '"';
    } else {
      out += s;
    }
  }

  // Unicode's white space.
  static bool starts_blank(std::string_view s) {
    const auto c = static_cast<std::uint8_t>(s[0]);
    if (c == ' ' || (c >= '\t' && c <= '\r')) return true;
    for (const std::string_view blank :
         {"\xc2\x85", "\xc2\xa0", "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80"})
      if (s.starts_with(blank)) return true;
    return s.size() >= 3 && s.starts_with("\xe2\x80") && static_cast<std::uint8_t>(s[2]) >= 0x80 && static_cast<std::uint8_t>(s[2]) <= 0x8a;
  }

  // The lines of an HTTP header block, sorted, with an empty one at the end, in base64.
  void append_headers(std::span<const Header> headers, std::string& out) {
    block_.clear();
    for (const auto& group : groups_.of(headers, HeaderGroups::Order::by_name)) {
      for (const std::uint32_t i : group.headers) {
        if (headers[i].no_value || !is_token(headers[i].name)) continue;
        block_ += headers[i].name;
        block_ += ": ";
        append_value(headers[i].value);
        block_ += "\r\n";
      }
    }
    block_ += "\r\n";
    append_base64(block_, out);
  }

  void append_value(std::string_view value) {
    const std::size_t start = block_.size();
    block_ += value;
    for (std::size_t i = start; i < block_.size(); ++i)
      if (block_[i] == '\r' || block_[i] == '\n') block_[i] = ' ';
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    while (block_.size() > start && blank(block_.back())) block_.pop_back();
    std::size_t leading = start;
    while (leading < block_.size() && blank(block_[leading])) ++leading;
    block_.erase(start, leading - start);
  }

  static bool is_token(std::string_view name) {
    constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
    for (const char c : name) {
      const char lower = static_cast<char>(c | 0x20);
      if ((lower < 'a' || lower > 'z') && (c < '0' || c > '9') && kOthers.find(c) == std::string_view::npos) return false;
    }
    return !name.empty();
  }

  bool header_;
  HeaderGroups groups_;
  std::string block_;
};

}  // namespace

std::unique_ptr<Encoder> make_json_encoder() { return std::make_unique<JsonEncoder>(); }
std::unique_ptr<Encoder> make_csv_encoder(EncoderOptions options) { return std::make_unique<CsvEncoder>(options.csv_header); }

}  // namespace thrum
