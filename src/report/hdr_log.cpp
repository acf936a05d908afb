#include "report/hdr_log.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "record/base64.hpp"

namespace thrum::report {
namespace {

// Both numbers are the format's: its version 2 with counts as variable-length words.
constexpr std::uint32_t kEncoded = 0x1c849313, kCompressed = 0x1c849314;

void append_big_endian(std::uint64_t value, int bytes, std::string& out) {
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(value >> (8 * i));
}

// Seven bits a byte, lowest first; the ninth byte holds eight.
void append_zigzag(std::int64_t value, std::string& out) {
  std::uint64_t v = static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
  for (int i = 0; i < 8 && v >= 0x80; ++i, v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

// Counts from bin 0 on; a run of empty bins is minus its length.
std::string counts_of(const Histogram& histogram) {
  std::string out;
  std::uint32_t next = 0;
  std::uint64_t count = 0;
  const auto end_bin = [&](std::uint32_t bin) {
    if (count == 0) return;
    append_zigzag(static_cast<std::int64_t>(count), out);
    next = bin + 1;
    count = 0;
  };
  std::uint32_t open = 0;
  for (const Histogram::Bin& bin : histogram.bins()) {
    if (bin.lowest < 0) continue;
    const std::uint32_t number = Histogram::bin_of(static_cast<std::uint64_t>(bin.lowest));
    if (number != open) end_bin(open);
    if (count == 0 && number > next) append_zigzag(-static_cast<std::int64_t>(number - next), out);
    open = number;
    count += bin.count;
  }
  end_bin(open);
  return out;
}

std::string encoded(const Histogram& histogram) {
  constexpr std::uint32_t kDigits = 3;
  const std::string counts = counts_of(histogram);
  // The highest value a reader must make room for: never below what the format allows.
  const auto highest = std::max<std::uint64_t>(2048, static_cast<std::uint64_t>(std::max<std::int64_t>(0, histogram.max().count())));
  std::string out;
  append_big_endian(kEncoded, 4, out);
  append_big_endian(counts.size(), 4, out);
  append_big_endian(0, 4, out);  // no shift of the counts
  append_big_endian(kDigits, 4, out);
  append_big_endian(1, 8, out);  // the lowest value told from 0
  append_big_endian(highest, 8, out);
  append_big_endian(std::bit_cast<std::uint64_t>(1.0), 8, out);  // values are what they are
  return out + counts;
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  // Can't fail: the bound is zlib's own, and nothing else is asked of it.
  ::compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

double seconds(Timestamp t) { return static_cast<double>(t.seconds) + static_cast<double>(t.nanos) / 1e9; }

// Tags end at a comma.
std::string tag(std::string name) {
  for (char& c : name)
    if (c == ',' || c == ' ' || c == '=') c = '_';
  return name;
}

}  // namespace

std::string hdr_base64(const Histogram& histogram) {
  const std::string body = deflated(encoded(histogram));
  std::string bytes, out;
  append_big_endian(kCompressed, 4, bytes);
  append_big_endian(body.size(), 4, bytes);
  append_base64(bytes + body, out);
  return out;
}

std::string hdr_log(const Input& input) {
  constexpr double kNanosPerMilli = 1e6;
  const Figures& total = input.total.figures();
  std::string out = "#[Histogram log format version 1.3]\n";
  out += fmt::format("#[StartTime: {:.3f} (seconds since epoch)]\n", seconds(total.earliest));
  out += "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
  for (const RunInput& run : input.runs) {
    const Figures& f = run.metrics.figures();
    if (f.requests == 0) continue;
    if (input.runs.size() > 1) out += fmt::format("Tag={},", tag(printable(run.name)));
    out += fmt::format("{:.3f},{:.3f},{:.3f},{}\n", static_cast<double>(f.earliest.since(total.earliest).count()) / 1e9,
                       static_cast<double>(f.end.since(f.earliest).count()) / 1e9,
                       static_cast<double>(f.latencies.max.count()) / kNanosPerMilli, hdr_base64(run.metrics.latencies()));
  }
  return out;
}

}  // namespace thrum::report
