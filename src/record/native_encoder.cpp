// Results to the native format: rows are kept by column until the block is full or is asked for, then each column takes its
// shortest form. Numbers that carry information are random in their last bits, so compression gains next to nothing on them
// (a million results: zstd -1 saves 2 % of the bytes for 33 ns each); it is for the text of a block, where it gains much.
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "record/encoder.hpp"
#include "record/native_column.hpp"
#include "record/native_format.hpp"
#include "record/native_strings.hpp"

namespace thrum {
namespace {

using namespace native;

constexpr std::size_t kWorthCompressing = 192;

struct FreeContext {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};

class NativeEncoder final : public Encoder {
 public:
  void begin(const FileHeader& header, std::string& out) override {
    flush(out);
    strings_.clear();
    out += kSignature;
    out += static_cast<char>(kFormatVersion);
    append_block(BlockKind::header, to_json(header), out);
  }

  void append(std::span<const Result> results, std::string& out) override {
    for (const Result& r : results) {
      add(r);
      if (rows_ == kRowsPerBlock || strings_.definitions().size() + captures_.size() >= kTextPerBlock) flush(out);
    }
  }

  void flush(std::string& out) override {
    if (rows_ == 0) return;
    payload_.clear();
    append_results();
    append_block(BlockKind::results, payload_, out);
    rows_ = 0;
    used_ = 0;
    captures_.clear();
    strings_.next_block();
    if (payload_.capacity() > kLargeBuffer) payload_ = {}, captures_ = {}, text_ = {};
  }

  std::size_t unflushed() const override { return rows_; }

  void event(const Event& event, std::string& out) override {
    flush(out);
    append_block(BlockKind::event, to_json(event), out);
  }

  void finish(const ClosingBooks& books, std::string& out) override {
    flush(out);
    append_block(BlockKind::closing, to_json(books), out);
  }

 private:
  static constexpr std::size_t kLargeBuffer = std::size_t{1} << 20;
  using Values = std::array<std::uint64_t, kRowsPerBlock>;

  static std::uint64_t number(Nanos t) { return static_cast<std::uint64_t>(t.count()); }
  static std::uint64_t optional_number(Nanos t) { return t == Result::kNone ? 0 : pack_optional(t.count()); }

  void add(const Result& r) {
    const auto nanos = static_cast<__int128>(r.timestamp.seconds) * 1'000'000'000 + r.timestamp.nanos;
    seq_[rows_] = r.seq;
    sent_[rows_] = static_cast<std::uint64_t>(nanos);
    set(kTimeHigh, zigzag(static_cast<std::int64_t>(nanos >> 64)));
    set(kZone, zigzag(r.timestamp.zone));
    set(kLatency, number(r.latency));
    set(kLag, optional_number(r.lag));
    set(kFirstByte, r.first_byte == Result::kNone ? 0 : pack_optional(static_cast<std::int64_t>(number(r.latency) - number(r.first_byte))));
    set(kDns, optional_number(r.dns));
    set(kConnect, optional_number(r.connect));
    set(kTls, optional_number(r.tls));
    set(kBytesOut, r.bytes_out);
    set(kBytesIn, r.bytes_in);
    set(kCode, r.code);
    set(kSeenStatus, r.seen_status == r.code ? 0 : r.seen_status);  // of interest where an error hid it
    set(kOutcome, static_cast<std::uint64_t>(r.outcome));
    set(kRetries, r.retries);
    set(kRedirects, r.redirects);
    set(kRedirecting, optional_number(r.redirecting));
    set(kWarmup, r.is_warmup ? 1 : 0);
    set(kAttack, strings_.number(r.attack, 0));
    set(kMethod, strings_.number(r.method, 1));
    set(kUrl, strings_.number(r.url, 2));
    set(kError, strings_.number(r.error, 3));
    set(kName, strings_.number(r.name, 4));
    set(kBody, r.body ? r.body->size() + 1 : 0);
    set(kHeaders, r.has_headers ? r.headers.size() + 1 : 0);
    if (r.has_headers) add_headers(r.headers);
    if (r.body) captures_ += *r.body;
    ++rows_;
  }

  void set(Column column, std::uint64_t value) {
    const std::uint32_t bit = 1u << column;
    if ((used_ & bit) == 0) {
      if (value == default_of(column)) return;
      if (!values_[column]) values_[column] = std::make_unique_for_overwrite<Values>();
      std::fill_n(values_[column]->begin(), rows_, default_of(column));
      used_ |= bit;
    }
    (*values_[column])[rows_] = value;
  }

  // Each name, then twice the size of its value, plus one if there is none ("null" tells apart two ways to have none).
  void add_headers(std::span<const Header> headers) {
    for (const Header& h : headers) {
      append_varint(h.name.size(), captures_);
      captures_ += h.name;
      append_varint(h.value.size() << 1 | (h.no_value ? 1 : 0), captures_);
      captures_ += h.value;
    }
  }

  std::span<const std::uint64_t> column(Column c) const { return std::span(*values_[c]).first(rows_); }
  bool is_used(Column c) const { return (used_ >> c & 1) != 0; }

  void append_results() {
    const TimeMode mode = choose_time_mode();
    const std::uint64_t slope = slope_for(mode);
    const std::uint64_t base = moment(mode, 0);
    difference_times(mode, base, slope);
    for (std::size_t i = 0; i < rows_; ++i) steps_[i] = zigzag(static_cast<std::int64_t>(seq_[i] - (i == 0 ? seq_[0] - 1 : seq_[i - 1])));
    const bool compressed = gather_text();

    append_varint(rows_, payload_);
    append_varint((compressed ? kTextIsCompressed : 0) | static_cast<std::uint64_t>(mode) << 1, payload_);
    append_varint(strings_.epoch(), payload_);
    append_varint(seq_[0], payload_);
    append_fixed(base, payload_);
    if (by_seq(mode)) append_varint(slope, payload_);
    append_columns();
    payload_ += text_;
  }

  void append_columns() {
    const auto steps = std::span(steps_).first(rows_), times = std::span(times_).first(rows_);
    std::uint32_t present = used_;
    if (std::any_of(steps.begin(), steps.end(), [](std::uint64_t v) { return v != kDefaultSeqStep; })) present |= 1u << kSeq;
    if (std::any_of(times.begin(), times.end(), [](std::uint64_t v) { return v != 0; })) present |= 1u << kTime;
    append_varint(present, payload_);
    for (std::size_t c = 0; c < kColumns; ++c)
      if ((present >> c & 1) != 0) append_column(c == kSeq ? steps : c == kTime ? times : column(static_cast<Column>(c)), payload_);
  }

  static bool by_seq(TimeMode m) { return m == TimeMode::sent_by_seq || m == TimeMode::due_by_seq; }

  std::uint64_t latency(std::size_t row) const { return is_used(kLatency) ? (*values_[kLatency])[row] : 0; }

  // The time of a row that the mode is about.
  std::uint64_t moment(TimeMode mode, std::size_t row) const {
    switch (mode) {
      case TimeMode::due_by_seq:
        return sent_[row] - static_cast<std::uint64_t>(unpack_optional((*values_[kLag])[row]));
      case TimeMode::end_by_row:
        return sent_[row] + latency(row);
      default:
        return sent_[row];
    }
  }

  std::uint64_t slope_for(TimeMode mode) const {
    if (!by_seq(mode)) return 0;
    const auto [first, last] = std::minmax_element(seq_.begin(), seq_.begin() + static_cast<std::ptrdiff_t>(rows_));
    if (*first == *last) return 0;
    const std::uint64_t time =
        moment(mode, static_cast<std::size_t>(last - seq_.begin())) - moment(mode, static_cast<std::size_t>(first - seq_.begin()));
    if (static_cast<std::int64_t>(time) < 0) return 0;
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(time) << kSlopeBits) / (*last - *first));
  }

  std::uint64_t difference(TimeMode mode, std::size_t row, std::uint64_t base, std::uint64_t slope) const {
    const std::uint64_t predicted = by_seq(mode) ? predict(base, seq_[row], seq_[0], slope) : row == 0 ? base : moment(mode, row - 1);
    return zigzag(static_cast<std::int64_t>(moment(mode, row) - predicted));
  }

  void difference_times(TimeMode mode, std::uint64_t base, std::uint64_t slope) {
    for (std::size_t i = 0; i < rows_; ++i) times_[i] = difference(mode, i, base, slope);
  }

  // The mode that takes the fewest bits on a sample of the rows.
  TimeMode choose_time_mode() const {
    constexpr std::size_t kSample = 64;
    const bool all_due = is_used(kLag) && std::none_of(column(kLag).begin(), column(kLag).end(), [](std::uint64_t v) { return v == 0; });
    TimeMode best = TimeMode::sent_by_row;
    std::size_t fewest = SIZE_MAX;
    for (const TimeMode mode : {TimeMode::due_by_seq, TimeMode::sent_by_seq, TimeMode::end_by_row, TimeMode::sent_by_row}) {
      if (mode == TimeMode::due_by_seq && !all_due) continue;
      const std::uint64_t slope = slope_for(mode), base = moment(mode, 0);
      std::size_t bits = 0;
      for (std::size_t i = 0; i < rows_; i += 1 + rows_ / kSample)
        bits += static_cast<std::size_t>(std::bit_width(difference(mode, i, base, slope)));
      if (bits < fewest) fewest = bits, best = mode;
    }
    return best;
  }

  // The block's text into text_: string definitions, then what the rows captured. Whether it is compressed (its size before
  // that stands before it).
  bool gather_text() {
    text_.clear();
    if (strings_.definition_count() == 0 && captures_.empty()) return false;
    append_varint(strings_.definition_count(), text_);
    text_ += strings_.definitions();
    text_ += captures_;
    if (text_.size() < kWorthCompressing) return false;
    if (!zstd_) zstd_.reset(ZSTD_createCCtx());
    packed_.clear();
    append_varint(text_.size(), packed_);
    const std::size_t start = packed_.size();
    packed_.resize(start + ZSTD_compressBound(text_.size()));
    const std::size_t size = ZSTD_compressCCtx(zstd_.get(), packed_.data() + start, packed_.size() - start, text_.data(), text_.size(), 1);
    if (ZSTD_isError(size) || start + size >= text_.size()) return false;
    packed_.resize(start + size);
    text_.swap(packed_);
    return true;
  }

  static void append_block(BlockKind kind, std::string_view payload, std::string& out) {
    const std::size_t start = out.size();
    out += kBlockMagic;
    append_fixed(static_cast<std::uint32_t>(payload.size()), out);
    append_fixed(payload_check(payload), out);
    out += static_cast<char>(kind);
    append_fixed(header_check(out.data() + start), out, 3);
    out += payload;
  }

  std::size_t rows_ = 0;
  std::uint32_t used_ = 0;  // columns with anything but their default, as bits
  Values seq_, sent_;       // sent: the low 64 bits of nanoseconds since 1970
  Values steps_, times_;
  std::array<std::unique_ptr<Values>, kColumns> values_;
  StringWriter strings_;
  std::string captures_, text_, packed_, payload_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> zstd_;
};

}  // namespace

std::unique_ptr<Encoder> make_native_encoder() { return std::make_unique<NativeEncoder>(); }

}  // namespace thrum
