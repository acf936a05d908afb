// The native format's numbers and grammar in one place; docs/results-format.md says the same in prose. A file is one or more
// streams; a stream is a signature and blocks; a block stands alone but for the text of strings defined in an earlier one.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace thrum::native {

// The first byte is no UTF-8 and the line end shows text-mode copying; the version follows.
inline constexpr std::string_view kSignature = "\x93thrum\n";
inline constexpr std::uint8_t kFormatVersion = 1;
inline constexpr std::size_t kSignatureSize = 8;

// magic (4), payload length (4), payload check (4), kind (1), check of the 13 bytes before (3); little-endian.
inline constexpr std::string_view kBlockMagic = "\xd3\x9aTB";
inline constexpr std::size_t kBlockHeaderSize = 16;
enum class BlockKind : char { header = 'H', results = 'R', event = 'E', closing = 'C' };

inline constexpr std::size_t kMostRows = 4096;                    // in a block, for any writer
inline constexpr std::size_t kRowsPerBlock = 1024;                // what ours puts there
inline constexpr std::size_t kTextPerBlock = 48 * 1024;           // text after which ours ends a block
inline constexpr std::size_t kMostText = std::size_t{256} << 20;  // of a block, uncompressed

// Columns in the order in which they follow each other; bit k of a block's column set says whether column k is there.
enum Column : std::uint8_t {
  kSeq,        // zigzag of the difference to the row before
  kTime,       // zigzag of the difference to the prediction
  kTimeHigh,   // zigzag of the time's bits 64 … 127
  kZone,       // zigzag of Timestamp::zone
  kLatency,    //
  kLag,        // optional, as the next four: 0 is none, else pack_optional() of the time
  kFirstByte,  // of latency - first byte
  kDns,
  kConnect,
  kTls,
  kBytesOut,
  kBytesIn,
  kCode,
  kSeenStatus,
  kOutcome,
  kRetries,
  kAttack,  // this and the next three: number of a string
  kMethod,
  kUrl,
  kError,
  kBody,     // 0: none; else its length + 1
  kHeaders,  // 0: none; else how many + 1
  kRedirects,
  kRedirecting,  // optional
  kWarmup,       // 1: sent in the warm-up
  kName,         // number of a string: of the target
  kColumns,
};
// What an absent column means: the next hit number, and zero for all others.
inline constexpr std::uint64_t kDefaultSeqStep = 2;
constexpr std::uint64_t default_of(std::size_t column) { return column == kSeq ? kDefaultSeqStep : 0; }

// What the time column is about, and what it is a difference to.
enum class TimeMode : std::uint8_t {
  sent_by_seq,  // when it was sent, to base + (seq - first seq) * slope / 1024
  due_by_seq,   // when it was due, likewise
  end_by_row,   // when it ended, to the end of the row before
  sent_by_row,  // when it was sent, to when the row before was
};
inline constexpr int kSlopeBits = 10;

inline constexpr std::uint64_t kTextIsCompressed = 1;  // bit of a block's flags; the time mode is in the two above

constexpr std::uint64_t zigzag(std::int64_t v) { return static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63); }
constexpr std::int64_t unzigzag(std::uint64_t v) { return static_cast<std::int64_t>(v >> 1 ^ (0 - (v & 1))); }

// A time that may be missing: 0 is none, and what would be taken for it moves up by one.
constexpr std::uint64_t pack_optional(std::int64_t v) { return static_cast<std::uint64_t>(v) + (v >= 0 ? 1 : 0); }
constexpr std::int64_t unpack_optional(std::uint64_t v) { return static_cast<std::int64_t>(v - (v <= std::uint64_t{1} << 63 ? 1 : 0)); }

// base + (seq - first) * slope / 1024, modulo 2^64, rounded down.
constexpr std::uint64_t predict(std::uint64_t base, std::uint64_t seq, std::uint64_t first, std::uint64_t slope) {
  return base + static_cast<std::uint64_t>(static_cast<std::int64_t>((seq - first) * slope) >> kSlopeBits);
}

inline void append_varint(std::uint64_t v, std::string& out) {
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  out += static_cast<char>(v);
}

template <class Unsigned>
void append_fixed(Unsigned v, std::string& out, std::size_t bytes = sizeof(Unsigned)) {
  for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(v >> (8 * i));
}

template <class Unsigned>
Unsigned read_fixed(const char* p, std::size_t bytes = sizeof(Unsigned)) {
  Unsigned v = 0;
  for (std::size_t i = bytes; i-- > 0;) v = static_cast<Unsigned>(v << 8 | static_cast<std::uint8_t>(p[i]));
  return v;
}

// Reads a payload; after a failure everything it gives is zero or empty.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}
  bool failed() const { return failed_; }
  bool at_end() const { return at_ == end_; }
  const char* position() const { return at_; }
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
  void fail() { failed_ = true, at_ = end_; }

  std::uint64_t varint() {
    std::uint64_t v = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(*at_++);
      v |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return v;
    }
    return fail(), 0;
  }
  std::uint8_t byte() {
    if (at_ == end_) return fail(), 0;
    return static_cast<std::uint8_t>(*at_++);
  }
  std::string_view bytes(std::uint64_t n) {
    if (n > static_cast<std::uint64_t>(end_ - at_)) return fail(), std::string_view();
    const std::string_view s(at_, n);
    at_ += n;
    return s;
  }

 private:
  const char* at_;
  const char* end_;
  bool failed_ = false;
};

// The check of a block's payload and of its header.
std::uint32_t payload_check(std::string_view payload);
std::uint32_t header_check(const char* header);

}  // namespace thrum::native
