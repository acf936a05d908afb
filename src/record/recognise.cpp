#include "record/recognise.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "record/gob_value.hpp"
#include "record/native_format.hpp"

namespace thrum {
namespace {

constexpr std::size_t kEnough = 512;

struct Kind {
  std::string_view start;
  std::string_view what;
};
constexpr std::string_view kUseEncoder = "give files that 'thrum attack' or 'thrum encode' wrote";
constexpr std::array<Kind, 23> kKinds = {{{"\x89PNG", "a PNG image"},
                                          {"\xff\xd8\xff", "a JPEG image"},
                                          {"GIF8", "a GIF image"},
                                          {"%PDF", "a PDF document"},
                                          {"\x7f"
                                           "ELF",
                                           "a program"},
                                          {"PK\x03\x04", "a zip archive: unpack it first"},
                                          {"\x1f\x8b", "gzip data: unpack it first, as in: zcat FILE | thrum report"},
                                          {"\x28\xb5\x2f\xfd", "zstd data: unpack it first, as in: zstdcat FILE | thrum report"},
                                          {"BZh", "bzip2 data: unpack it first, as in: bzcat FILE | thrum report"},
                                          {"\xfd"
                                           "7zXZ",
                                           "xz data: unpack it first, as in: xzcat FILE | thrum report"},
                                          {"SQLite format 3", "an SQLite database"},
                                          {"Requests ", "a text report, not what it was made from"},
                                          {"Bucket ", "a histogram report, not what it was made from"},
                                          {"Value(ms)", "an HDR report, not what it was made from"},
                                          {"second,time,asked,", "a table of seconds (report -type=csv), not what it was made from"},
                                          {"#[Histogram log format", "an HDR log (report -type=hdrlog), not what it was made from"},
                                          {"\xff\xfe", "text in UTF-16: turn it into UTF-8 first, as in: iconv -f UTF-16 -t UTF-8 FILE"},
                                          {"\xfe\xff", "text in UTF-16: turn it into UTF-8 first, as in: iconv -f UTF-16 -t UTF-8 FILE"},
                                          {"#HELP", "a page of metrics"},
                                          {"# HELP", "a page of metrics"},
                                          {"<!", "an HTML page"},
                                          {"<html", "an HTML page"},
                                          {"<", "XML or HTML"}}};

Recognised no_results(std::string_view what) {
  std::string text(what);
  if (what.find(':') == std::string_view::npos) {
    text += ": ";
    text += kUseEncoder;
  }
  return {std::nullopt, std::move(text)};
}

// A message that defines a type: its length, a negative number, and which of seven kinds it is.
bool is_gob(std::string_view head) {
  gob::Cursor c(head);
  const std::uint64_t length = c.unsigned_number();
  const std::int64_t type = c.signed_number();
  const std::uint64_t kind = c.unsigned_number();
  return !c.failed() && length > 4 && length < (1 << 20) && type <= -gob::kFirstFree && type > -100'000 && kind >= 1 && kind <= 7;
}

bool is_native(std::string_view head) {
  // One damaged byte of the signature shall not make the whole file unreadable.
  return head.starts_with(native::kSignature) ||
         head.substr(std::min(head.size(), native::kSignatureSize)).starts_with(native::kBlockMagic);
}

bool starts_with_request(std::string_view s) {
  const std::size_t blank = s.find(' ');
  if (blank == std::string_view::npos || blank == 0 || blank > 16) return false;
  const bool method = std::all_of(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(blank), [](char c) { return c >= 'A' && c <= 'Z'; });
  return method && s.substr(blank + 1).starts_with("http");
}

bool is_text(std::string_view s) {
  return std::none_of(s.begin(), s.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f; });
}

// Whether the line names columns of ours rather than holding values.
bool is_csv_header(std::string_view line) {
  const std::string names = "," + lower(line) + ",";
  const auto has = [&](std::string_view name) {
    const std::size_t at = names.find(name);
    return at != std::string::npos && at > 0 && std::string_view(", \"").find(names[at - 1]) != std::string_view::npos;
  };
  return names.find(',', 1) != names.size() - 1 && has("timestamp") && (has("latency") || has("code"));
}

// A line with what a target has, and nothing that only a result has.
bool is_target(std::string_view line) {
  const auto has = [&](std::string_view key) { return line.find(key) != std::string_view::npos; };
  const bool is_result = has("\"code\"") || has("\"timestamp\"") || has("\"latency\"") || has("\"seq\"") || has("\"bytes_in\"") ||
                         has("\"bytes_out\"") || has("\"error\"") || has("\"attack\"");
  return has("\"method\"") && has("\"url\"") && !is_result && line.ends_with('}');
}

// A whole line with something in it, and nothing that a result has.
bool is_of_something_else(std::string_view line) {
  constexpr std::array<std::string_view, 12> kKeys{"attack",   "seq",   "code",   "timestamp", "latency", "bytes_out",
                                                   "bytes_in", "error", "method", "url",       "body",    "headers"};
  const std::string low = lower(line);  // keys are read in any case
  const auto is_there = [&](std::string_view key) { return low.find('"' + std::string(key) + '"') != std::string::npos; };
  return line.starts_with("{\"") && trim(line).ends_with('}') && std::none_of(kKeys.begin(), kKeys.end(), is_there);
}

Recognised recognise_json(std::string_view text) {
  if (text.starts_with('[')) return no_results("a JSON array, not one result per line: flatten it first, as in: jq -c '.[]' FILE");
  const std::string_view inner = trim(text.substr(1));
  if (inner.starts_with("\"schema_version\"")) return no_results("a report of thrum run, not the results that 'thrum run -record' keeps");
  if (inner.starts_with("\"latencies\"")) return no_results("a JSON report, not what it was made from");
  if (text.substr(0, 2).find_first_of("\r\n") != std::string_view::npos && !inner.starts_with('}'))
    return no_results("JSON over several lines, not one result per line: join them first, as in: jq -c . FILE");
  if (is_target(text.substr(0, text.find('\n'))))
    return no_results("a targets file in JSON: give it to 'thrum attack -format=json -targets'");
  if (is_of_something_else(text.substr(0, text.find('\n'))))
    return no_results("JSON without a key that a result has, such as \"code\" or \"latency\"");
  return {Encoding::json, {}};
}

}  // namespace

std::optional<Recognised> recognise(std::string_view head, bool ended) {
  if (head.empty()) return ended ? std::optional(no_results("empty")) : std::nullopt;
  if (is_native(head)) return Recognised{Encoding::native, {}};
  if (is_gob(head)) return Recognised{Encoding::gob, {}};
  const bool more_may_come = !ended && head.size() < kEnough;
  if (more_may_come && head.size() < native::kSignatureSize + native::kBlockMagic.size() && !is_text(head)) return std::nullopt;

  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  std::string_view text = head;
  while (!text.empty() && std::string_view(" \t\r\n").find(text[0]) != std::string_view::npos) text.remove_prefix(1);
  if (text.empty()) return more_may_come ? std::nullopt : std::optional(no_results("nothing but blank lines"));
  if (text[0] == '{' || text[0] == '[') {
    if (more_may_come && text.size() < 16 && text.find('\n') == std::string_view::npos) return std::nullopt;
    return recognise_json(text);
  }
  if (text.starts_with("null")) return Recognised{Encoding::json, {}};
  for (const Kind& k : kKinds)
    if (text.starts_with(k.start)) return no_results(k.what);
  const std::size_t line_end = text.find('\n');
  if (more_may_come && line_end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, line_end);
  if (line.find(',') != std::string_view::npos &&
      (std::string_view("0123456789+-\"").find(line[0]) != std::string_view::npos || is_csv_header(line)))
    return Recognised{Encoding::csv, {}};
  if (starts_with_request(text)) return no_results("a targets file: give it to 'thrum attack -targets'");
  return no_results(is_text(text) ? "text" : "binary data of an unknown kind");
}

}  // namespace thrum
