#include "record/native_block.hpp"

#include <algorithm>
#include <limits>

namespace thrum::native {
namespace {

Nanos optional_time(std::uint64_t v) { return v == 0 ? Result::kNone : Nanos(unpack_optional(v)); }

Outcome outcome(std::uint64_t v) { return v <= static_cast<std::uint64_t>(Outcome::expected) ? static_cast<Outcome>(v) : Outcome::unknown; }

constexpr std::uint64_t kSecond = 1'000'000'000;

// Times that 63 bits of nanoseconds since 1970 do not hold.
void split_far_time(std::int64_t high, std::uint64_t low, Timestamp& into) {
  constexpr __int128 kNanos = kSecond;
  const __int128 nanos = static_cast<__int128>(high) * (static_cast<__int128>(1) << 64) + low;
  const __int128 seconds = nanos >= 0 ? nanos / kNanos : -((kNanos - 1 - nanos) / kNanos);
  into.seconds = static_cast<std::int64_t>(seconds);
  into.nanos = static_cast<std::int32_t>(nanos - seconds * kNanos);
}

}  // namespace

bool ResultsBlock::open(std::string_view payload, StringReader& strings) {
  count_ = next_ = 0;
  lost_strings_ = 0;
  Cursor c(payload);
  const std::uint64_t rows = c.varint();
  const std::uint64_t flags = c.varint();
  const std::uint64_t epoch = c.varint();
  first_seq_ = c.varint();
  const std::string_view base = c.bytes(8);
  if (c.failed() || rows == 0 || rows > kMostRows || flags > 7) return false;
  base_ = read_fixed<std::uint64_t>(base.data());
  mode_ = static_cast<TimeMode>(flags >> 1);
  slope_ = mode_ == TimeMode::sent_by_seq || mode_ == TimeMode::due_by_seq ? c.varint() : 0;
  const std::uint64_t present = c.varint();
  for (std::size_t i = 0; i < 64 && !c.failed(); ++i) {
    if ((present >> i & 1) == 0) {
      if (i < kColumns) columns_[i].set_all(default_of(i));
    } else if (i < kColumns) {
      columns_[i].read(c, rows);
    } else {
      ColumnValues newer;  // of a column that we don't know
      newer.read(c, rows);
    }
  }
  if (c.failed() || !read_text(c, (flags & kTextIsCompressed) != 0)) return false;
  strings.enter_epoch(epoch);
  strings_ = &strings;
  count_ = rows;
  seq_ = first_seq_ - 1;
  moment_ = base_;
  if (!read_definitions(strings) || !in_range()) return count_ = 0, false;
  fill_constants();
  return true;
}

bool ResultsBlock::read_text(Cursor& c, bool compressed) {
  if (!compressed) return text_ = Cursor(c.rest()), true;
  const std::uint64_t size = c.varint();
  const std::string_view frame = c.rest();
  if (c.failed() || size > kMostText || size / 1024 > frame.size() * 32) return false;
  if (!zstd_) zstd_.reset(ZSTD_createDCtx());
  if (unpacked_.size() < size || unpacked_.size() > (std::size_t{1} << 20)) unpacked_ = std::vector<char>(size);
  if (ZSTD_decompressDCtx(zstd_.get(), unpacked_.data(), size, frame.data(), frame.size()) != size) return false;
  text_ = Cursor({unpacked_.data(), size});
  return true;
}

bool ResultsBlock::read_definitions(StringReader& strings) {
  if (text_.at_end()) return true;
  const std::uint64_t count = text_.varint();
  for (std::uint64_t i = 0; i < count && !text_.failed(); ++i) {
    const std::uint64_t number = text_.varint();
    const std::string_view s = text_.bytes(text_.varint());
    if (text_.failed() || !strings.define(number, s)) return false;
  }
  return !text_.failed();
}

// Whether every number fits where it belongs.
bool ResultsBlock::in_range() const {
  const auto at_most = [&](Column column, std::uint64_t most) {
    const ColumnValues& c = columns_[column];
    if (c.is_constant()) return c.value() <= most;
    return std::all_of(c.each(), c.each() + count_, [&](std::uint64_t v) { return v <= most; });
  };
  constexpr std::uint64_t kFarthest = 32;  // zigzag of the time's upper half: beyond that no year has four digits
  return at_most(kTimeHigh, kFarthest) && at_most(kZone, std::numeric_limits<std::uint32_t>::max()) && at_most(kCode, 0xffff) &&
         at_most(kSeenStatus, 0xffff) && at_most(kRetries, 0xff) && at_most(kOutcome, 0xff) && at_most(kRedirects, 0xffff) &&
         at_most(kWarmup, 1);
}

std::span<const Result> ResultsBlock::next_rows() {
  const std::size_t n = std::min(kBatch, rows_left());
  const auto rows = std::span(rows_).first(n);
  scratch_.clear();
  fill(kLatency, rows, [](Result& r, std::uint64_t v) { r.latency = Nanos(static_cast<std::int64_t>(v)); });
  fill(kLag, rows, [](Result& r, std::uint64_t v) { r.lag = optional_time(v); });
  fill_times(rows);
  if (!columns_[kFirstByte].is_constant() || columns_[kFirstByte].value() != 0)
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t v = columns_[kFirstByte].at(next_ + i);
      rows[i].first_byte = v == 0 ? Result::kNone
                                  : Nanos(static_cast<std::int64_t>(static_cast<std::uint64_t>(rows[i].latency.count()) -
                                                                    static_cast<std::uint64_t>(unpack_optional(v))));
    }
  fill(kDns, rows, [](Result& r, std::uint64_t v) { r.dns = optional_time(v); });
  fill(kConnect, rows, [](Result& r, std::uint64_t v) { r.connect = optional_time(v); });
  fill(kTls, rows, [](Result& r, std::uint64_t v) { r.tls = optional_time(v); });
  fill(kBytesOut, rows, [](Result& r, std::uint64_t v) { r.bytes_out = v; });
  fill(kBytesIn, rows, [](Result& r, std::uint64_t v) { r.bytes_in = v; });
  fill(kCode, rows, [](Result& r, std::uint64_t v) { r.code = static_cast<std::uint16_t>(v); });
  fill(kSeenStatus, rows, [](Result& r, std::uint64_t v) { r.seen_status = static_cast<std::uint16_t>(v); });
  fill(kOutcome, rows, [](Result& r, std::uint64_t v) { r.outcome = outcome(v); });
  fill(kRetries, rows, [](Result& r, std::uint64_t v) { r.retries = static_cast<std::uint8_t>(v); });
  fill(kRedirects, rows, [](Result& r, std::uint64_t v) { r.redirects = static_cast<std::uint16_t>(v); });
  fill(kRedirecting, rows, [](Result& r, std::uint64_t v) { r.redirecting = optional_time(v); });
  fill(kWarmup, rows, [](Result& r, std::uint64_t v) { r.is_warmup = v != 0; });
  fill_strings(kAttack, &Result::attack, rows);
  fill_strings(kMethod, &Result::method, rows);
  fill_strings(kUrl, &Result::url, rows);
  fill_strings(kError, &Result::error, rows);
  fill_strings(kName, &Result::name, rows);
  if (!fill_captures(rows)) return {};
  next_ += n;
  return rows;
}

// A column that is the same in all rows was written by fill_constants().
template <class Assign>
void ResultsBlock::fill(Column column, std::span<Result> rows, Assign assign) {
  if (columns_[column].is_constant()) return;
  const std::uint64_t* const values = columns_[column].each() + next_;
  for (std::size_t i = 0; i < rows.size(); ++i) assign(rows[i], values[i]);
}

void ResultsBlock::fill_strings(Column column, std::string_view Result::* member, std::span<Result> rows) {
  fill(column, rows, [&](Result& r, std::uint64_t v) { take_string(v, r.*member, 1); });
}

void ResultsBlock::take_string(std::uint64_t number, std::string_view& into, std::size_t rows) {
  if (strings_->find(number, into)) return;
  into = {};
  lost_strings_ += rows;
}

void ResultsBlock::fill_constants() {
  Result r;
  const auto value = [&](Column c) { return columns_[c].is_constant() ? columns_[c].value() : 0; };
  r.timestamp.zone = static_cast<std::int32_t>(unzigzag(value(kZone)));
  r.latency = Nanos(static_cast<std::int64_t>(value(kLatency)));
  r.lag = optional_time(value(kLag));
  r.dns = optional_time(value(kDns));
  r.connect = optional_time(value(kConnect));
  r.tls = optional_time(value(kTls));
  r.bytes_out = value(kBytesOut);
  r.bytes_in = value(kBytesIn);
  r.code = static_cast<std::uint16_t>(value(kCode));
  r.seen_status = static_cast<std::uint16_t>(value(kSeenStatus));
  r.outcome = outcome(value(kOutcome));
  r.retries = static_cast<std::uint8_t>(value(kRetries));
  r.redirects = static_cast<std::uint16_t>(value(kRedirects));
  r.redirecting = optional_time(value(kRedirecting));
  r.is_warmup = value(kWarmup) != 0;
  take_string(value(kAttack), r.attack, count_);
  take_string(value(kMethod), r.method, count_);
  take_string(value(kUrl), r.url, count_);
  take_string(value(kError), r.error, count_);
  take_string(value(kName), r.name, count_);
  std::fill_n(rows_.begin(), std::min(kBatch, count_), r);
}

void ResultsBlock::fill_times(std::span<Result> rows) {
  const bool ends = mode_ == TimeMode::end_by_row, due = mode_ == TimeMode::due_by_seq;
  const bool by_seq = due || mode_ == TimeMode::sent_by_seq;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Result& r = rows[i];
    const std::size_t row = next_ + i;
    seq_ += static_cast<std::uint64_t>(unzigzag(columns_[kSeq].at(row)));
    r.seq = seq_;
    const auto difference = static_cast<std::uint64_t>(unzigzag(columns_[kTime].at(row)));
    moment_ = (by_seq ? predict(base_, seq_, first_seq_, slope_) : moment_) + difference;
    std::uint64_t sent = moment_;
    if (ends) sent -= static_cast<std::uint64_t>(r.latency.count());
    if (due && r.has_lag()) sent += static_cast<std::uint64_t>(r.lag.count());
    // Most rows lie in the second of the row before: no division for these.
    const std::uint64_t high = columns_[kTimeHigh].at(row);
    if (high != 0 || sent >> 63 != 0) {
      split_far_time(unzigzag(high), sent, r.timestamp);
      continue;
    }
    if (sent - second_start_ >= kSecond) {
      second_ = static_cast<std::int64_t>(sent / kSecond);
      second_start_ = static_cast<std::uint64_t>(second_) * kSecond;
    }
    r.timestamp.seconds = second_;
    r.timestamp.nanos = static_cast<std::int32_t>(sent - second_start_);
  }
  fill(kZone, rows, [](Result& r, std::uint64_t v) { r.timestamp.zone = static_cast<std::int32_t>(unzigzag(v)); });
}

bool ResultsBlock::fill_captures(std::span<Result> rows) {
  const ColumnValues &bodies = columns_[kBody], &headers = columns_[kHeaders];
  const auto none = [](const ColumnValues& c) { return c.is_constant() && c.value() == 0; };
  if (none(bodies) && none(headers)) return true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Result& r = rows[i];
    const std::uint64_t header_count = headers.at(next_ + i), body_size = bodies.at(next_ + i);
    r.has_headers = header_count != 0;
    r.headers = {};
    if (header_count > 1 && !fill_headers(r, header_count - 1)) return false;
    r.body.reset();
    if (body_size != 0) r.body = text_.bytes(body_size - 1);
  }
  return !text_.failed();
}

bool ResultsBlock::fill_headers(Result& row, std::uint64_t count) {
  headers_.clear();
  for (std::uint64_t i = 0; i < count && !text_.failed(); ++i) {
    Header h;
    h.name = text_.bytes(text_.varint());
    const std::uint64_t size = text_.varint();
    h.no_value = (size & 1) != 0;
    h.value = text_.bytes(size >> 1);
    headers_.push_back(h);
  }
  row.headers = scratch_.copy(std::span<const Header>(headers_));
  return !text_.failed();
}

}  // namespace thrum::native
