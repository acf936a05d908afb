// Results from gob, whatever fields the vegeta that wrote them had. Streams may follow one another, types may be defined at any
// point. What makes no sense is passed over up to the next message that is a result from its first byte to its last.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "record/decoder.hpp"
#include "record/gob_value.hpp"
#include "record/scratch.hpp"

namespace thrum {
namespace {

using gob::Cursor;

constexpr std::size_t kBatch = 256;
constexpr std::int64_t kMostTypes = 1 << 30;      // numbers of types are smaller
constexpr std::size_t kLongestGuess = 64 * 1024;  // no longer message is believed in while looking for one behind damage

enum class Member : std::uint8_t { unknown, attack, seq, code, timestamp, latency, bytes_out, bytes_in, error, body, method, url, headers };
constexpr std::array<std::string_view, 13> kMemberNames = {"",        "Attack", "Seq",  "Code",   "Timestamp", "Latency", "BytesOut",
                                                           "BytesIn", "Error",  "Body", "Method", "URL",       "Headers"};

// Seconds and nanoseconds since the year 1, big-endian, and the zone in minutes (-1: UTC); version 2 adds seconds of the zone.
bool read_time(std::string_view bytes, Timestamp& into) {
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < size; ++i) v = v << 8 | static_cast<std::uint8_t>(bytes[at + i]);
    return v;
  };
  if (bytes.size() < 15 || (bytes[0] != 1 && bytes[0] != 2) || bytes.size() != 14u + static_cast<std::size_t>(bytes[0])) return false;
  const auto seconds = static_cast<std::int64_t>(number(1, 8));
  const std::uint64_t nanos = number(9, 4);
  const auto minutes = static_cast<std::int16_t>(number(13, 2));
  if (nanos > 999'999'999) return false;
  const int zone = minutes * 60 + (bytes[0] == 2 ? static_cast<std::int8_t>(bytes[15]) : 0);
  const bool utc = minutes == -1 && bytes[0] == 1;
  into.seconds = static_cast<std::int64_t>(static_cast<std::uint64_t>(seconds) + static_cast<std::uint64_t>(kYearOne.seconds));
  into.nanos = static_cast<std::int32_t>(nanos);
  into.zone = utc ? 0 : zone == 0 ? Timestamp::kLocalZero : zone;
  return has_rfc3339(into);
}

// How values of the type "Result" are laid out, made out from its definition.
struct Layout {
  std::int64_t type = 0;        // 0: not known
  std::vector<Member> members;  // by field number - 1
  std::vector<std::int64_t> types;
};

class GobDecoder final : public Decoder {
 public:
  explicit GobDecoder(Input& input) : input_(input) {
    input_.begin_run(Encoding::gob);
    rows_.reserve(kBatch);
  }

  std::span<const Result> next() override {
    rows_.clear();
    scratch_.clear();
    release();
    while (!input_.failure) {
      while (rows_.size() < kBatch && !input_.failure && take_message()) {
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
  enum class Take : std::uint8_t { done, incomplete, bad };

  void release() {
    input_.source.consume(used_);
    used_ = 0;
  }

  // The next message of the window; false: there is no whole one.
  bool take_message() {
    if (lost_) return look_for_message();
    const std::string_view text = input_.source.window().substr(used_);
    input_.starved = text.empty();
    if (text.empty()) return false;
    std::size_t size = 0;
    switch (take(text, kLongestRecord, size)) {
      case Take::done:
        used_ += size;
        return true;
      case Take::bad:
        return lose("no gob message", 1);
      case Take::incomplete:
        break;
    }
    input_.starved = true;
    // A length that was hit by damage makes the rest of the input look like one cut message.
    if (input_.source.ended()) return lose("the input ends within a result", 1);
    return false;
  }

  bool lose(const char* why, std::size_t bytes) {
    lost_ = true;
    lost_at_ = input_.source.offset() + used_;
    lost_why_ = why;
    used_ += bytes;
    return true;
  }

  // Behind damage: the next place where a whole message makes sense. All that is passed over is one place of damage.
  bool look_for_message() {
    const std::string_view window = input_.source.window();
    const std::size_t before = rows_.size();
    for (; used_ < window.size(); ++used_) {
      std::size_t size = 0;
      const Take taken = take(window.substr(used_), kLongestGuess, size);
      if (taken == Take::incomplete && !input_.source.ended() && window.size() - used_ < kLongestGuess + 16) break;
      if (taken != Take::done) continue;
      used_ += size;
      end_of_loss(input_.source.offset() + used_ - size);
      if (input_.failure) rows_.resize(before);
      return true;
    }
    input_.starved = true;
    if (input_.source.ended()) end_of_loss(input_.source.offset() + window.size());
    return false;
  }

  void end_of_loss(std::uint64_t here) {
    lost_ = false;
    input_.damaged(lost_at_, here - lost_at_, lost_why_);
  }

  Take take(std::string_view text, std::size_t longest, std::size_t& size) {
    Cursor head(text.substr(0, 9));
    const std::uint64_t length = head.unsigned_number();
    if (head.failed()) return text.size() < 9 ? Take::incomplete : Take::bad;
    if (length == 0 || length > longest) return Take::bad;
    const std::size_t start = static_cast<std::size_t>(head.position() - text.data());
    if (text.size() - start < length && longest == kLongestGuess && !plausible(text.substr(start))) return Take::bad;
    if (text.size() - start < length) return Take::incomplete;
    size = start + length;
    return take_whole(text.substr(start, length)) ? Take::done : Take::bad;
  }

  // Whether the start of a message that is not wholly there can be that of a result.
  bool plausible(std::string_view text) const {
    Cursor c(text);
    const std::int64_t id = c.signed_number();
    return c.failed() || id == layout_.type;
  }

  bool take_whole(std::string_view message) {
    Cursor c(message);
    const std::int64_t id = c.signed_number();
    if (c.failed()) return false;
    if (id < 0) return id > -kMostTypes && take_definition(-id, c);
    if (id != layout_.type && !lay_out(id)) return false;
    rows_.emplace_back();
    if (read_result(c, rows_.back()) && c.at_end()) return true;
    rows_.pop_back();
    return false;
  }

  bool take_definition(std::int64_t id, Cursor& c) {
    if (id < gob::kFirstFree || !types_.define(id, c) || !c.at_end()) return false;
    layout_ = {};
    return true;
  }

  bool lay_out(std::int64_t id) {
    const gob::Type* const type = types_.find(id);
    if (type == nullptr || type->kind != gob::Type::Kind::structure) return false;
    Layout layout;
    layout.type = id;
    std::uint32_t seen = 0;
    for (const gob::Field& f : type->fields) {
      const Member m = member(f);
      seen |= 1u << static_cast<unsigned>(m);
      layout.members.push_back(m);
      layout.types.push_back(f.type);
    }
    for (const Member m : {Member::code, Member::timestamp, Member::latency})
      if ((seen & 1u << static_cast<unsigned>(m)) == 0) return false;
    layout_ = std::move(layout);
    warn_of_slips(*type, seen);
    return true;
  }

  // An unknown field is fine, and so is a missing one; but not if one looks like the other, hit by damage.
  void warn_of_slips(const gob::Type& type, std::uint32_t seen) {
    for (const gob::Field& f : type.fields) {
      for (std::size_t i = 1; i < kMemberNames.size(); ++i) {
        const std::string_view name = kMemberNames[i];
        if ((seen >> i & 1) != 0 || f.name.size() != name.size()) continue;
        std::size_t wrong = 0;
        for (std::size_t c = 0; c < name.size(); ++c) wrong += f.name[c] != name[c];
        if (wrong == 1)
          input_.damaged(input_.source.offset() + used_, 0, fmt::format("results with a field {} for {}", printable(f.name), name));
      }
    }
  }

  // A field is what its name says if it is of the type that vegeta gave it.
  Member member(const gob::Field& f) const {
    std::size_t i = kMemberNames.size() - 1;
    while (i > 0 && kMemberNames[i] != f.name) --i;
    const auto m = static_cast<Member>(i);
    const gob::Type* const type = types_.find(f.type);
    bool fits = true;
    switch (m) {
      case Member::unknown:
        break;
      case Member::seq:
      case Member::code:
      case Member::bytes_out:
      case Member::bytes_in:
        fits = f.type == gob::kUint;
        break;
      case Member::latency:
        fits = f.type == gob::kInt;
        break;
      case Member::timestamp:
        fits = type != nullptr && type->kind == gob::Type::Kind::opaque;
        break;
      case Member::body:
        fits = f.type == gob::kBytes;
        break;
      case Member::headers: {
        const gob::Type* const values = type != nullptr && type->kind == gob::Type::Kind::map ? types_.find(type->element) : nullptr;
        fits = values != nullptr && type->key == gob::kString && values->kind == gob::Type::Kind::slice && values->element == gob::kString;
        break;
      }
      default:
        fits = f.type == gob::kString;
        break;
    }
    return fits ? m : Member::unknown;
  }

  bool read_result(Cursor& c, Result& r) {
    r.timestamp = kYearOne;
    std::size_t field = 0;
    while (const std::uint64_t delta = c.unsigned_number()) {
      if (delta > layout_.members.size() - field) return false;
      field += delta;
      if (!read_member(layout_.members[field - 1], layout_.types[field - 1], c, r) || c.failed()) return false;
    }
    r.outcome = outcome_of(r.code, r.error);
    return !c.failed();
  }

  bool read_member(Member m, std::int64_t type, Cursor& c, Result& r) {
    switch (m) {
      case Member::unknown:
        types_.skip(type, c);
        break;
      case Member::attack:
        r.attack = c.bytes();
        break;
      case Member::seq:
        r.seq = c.unsigned_number();
        break;
      case Member::code: {
        const std::uint64_t code = c.unsigned_number();
        r.code = static_cast<std::uint16_t>(code);
        return code <= 0xffff;
      }
      case Member::timestamp:
        return read_time(c.bytes(), r.timestamp);
      case Member::latency:
        r.latency = Nanos(c.signed_number());
        break;
      case Member::bytes_out:
        r.bytes_out = c.unsigned_number();
        break;
      case Member::bytes_in:
        r.bytes_in = c.unsigned_number();
        break;
      case Member::error:
        r.error = c.bytes();
        break;
      case Member::body:
        r.body = c.bytes();
        break;
      case Member::method:
        r.method = c.bytes();
        break;
      case Member::url:
        r.url = c.bytes();
        break;
      case Member::headers:
        read_headers(c, r);
        break;
    }
    return true;
  }

  void read_headers(Cursor& c, Result& r) {
    headers_.clear();
    const std::uint64_t names = c.unsigned_number();
    for (std::uint64_t i = 0; i < names && !c.failed(); ++i) {
      const std::string_view name = c.bytes();
      const std::uint64_t values = c.unsigned_number();
      if (values == 0) headers_.push_back({name, {}, true});
      for (std::uint64_t v = 0; v < values && !c.failed(); ++v) headers_.push_back({name, c.bytes(), false});
    }
    r.has_headers = true;
    r.headers = scratch_.copy(std::span<const Header>(headers_));
  }

  Input& input_;
  gob::Types types_;
  Layout layout_;
  std::vector<Result> rows_;
  std::vector<Header> headers_;
  Scratch scratch_;
  std::size_t used_ = 0;  // bytes of the window that are done with
  bool lost_ = false;     // behind damage, looking for the next message
  std::uint64_t lost_at_ = 0;
  const char* lost_why_ = "";
};

}  // namespace

std::unique_ptr<Decoder> make_gob_decoder(Input& input) { return std::make_unique<GobDecoder>(input); }

}  // namespace thrum
