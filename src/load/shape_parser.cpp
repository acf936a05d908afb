// Shapes as people type them: stages with commas between them. The grammar stands in the public header and in docs/rates.md.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <expected>
#include <fstream>
#include <iterator>
#include <numbers>
#include <utility>

#include "base/duration.hpp"
#include "base/text.hpp"
#include "load/rate.hpp"
#include "load/shape_parts.hpp"
#include "thrum/shape.hpp"

namespace thrum {
namespace {

using load::Piece;
using load::ShapeParts;

constexpr std::size_t kLongestFile = 16 << 20;
constexpr std::string_view kExamples =
    "write it like 100, 100/s, 1.5/s, 6/m, 50/100ms, 0 for no limit, or stages like \"10..500/s over 1m, hold 5m\"";

bool is_letter(std::string_view word) { return !word.empty() && ((word[0] | 0x20) >= 'a' && (word[0] | 0x20) <= 'z'); }

struct Word {
  std::string_view text;  // empty: the end
  std::size_t at = 0;     // in the whole text
};

// Words stand between blanks; "," and ".." are words by themselves.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) { next(); }

  const Word& peek() const { return word_; }
  bool is_over() const { return word_.text.empty(); }
  bool is_at(std::string_view text) const { return word_.text == text; }
  Word take() {
    const Word taken = word_;
    next();
    return taken;
  }
  bool take_if(std::string_view text) {
    if (!is_at(text)) return false;
    next();
    return true;
  }
  std::string_view rest() const { return text_.substr(word_.at); }

 private:
  void next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    std::size_t end = at_;
    if (text_.substr(at_).starts_with("..")) {
      end = at_ + 2;
    } else if (at_ < text_.size() && text_[at_] == ',') {
      end = at_ + 1;
    } else {
      while (end < text_.size() && !is_blank(text_[end]) && text_[end] != ',' && !text_.substr(end).starts_with("..")) ++end;
    }
    word_ = {text_.substr(at_, end - at_), at_};
    at_ = end;
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  std::string_view text_;
  std::size_t at_ = 0;
  Word word_;
};

// Where the text is wrong, and why.
struct Slip {
  std::size_t at;
  std::string why;
};
template <class T>
using Parsed = std::expected<T, Slip>;

std::unexpected<Slip> slip(const Word& word, std::string why) { return std::unexpected(Slip{word.at, std::move(why)}); }

class Parser {
 public:
  explicit Parser(std::string_view text) : words_(text) {}

  Parsed<std::shared_ptr<ShapeParts>> parse() {
    if (words_.take_if("poisson")) parts_->is_random = true;
    if (words_.peek().text.starts_with('@')) {
      if (auto read = file(); !read) return std::unexpected(read.error());
      return parts_;
    }
    for (;;) {
      const Word start = words_.peek();
      if (auto added = stage(); !added) return std::unexpected(added.error());
      if (words_.is_over()) break;
      if (parts_->length == Nanos::max()) {
        if (words_.is_at(",")) return slip(start, "only the last stage may go on without end: say how long, like 50/s for 10s");
        return slip(words_.peek(), "expected \"for TIME\", \"over TIME\", \"every TIME\", \"..\", a comma or the end");
      }
      if (!words_.take_if(",")) return slip(words_.peek(), "expected a comma between stages, or the end");
    }
    if (parts_->size == 0) return std::unexpected(Slip{0, "nothing would be sent"});
    return parts_;
  }

 private:
  Parsed<void> stage() {
    if (words_.is_over()) return slip(words_.peek(), "a stage is missing, like 50/s for 10s");
    if (words_.take_if("hold")) return hold();
    if (words_.take_if("sine")) return sine();
    if (words_.take_if("spike")) return spike();
    const Word first = words_.take();
    if (words_.take_if("..")) return ramp(first);
    if (words_.take_if("every")) return bursts(first);
    auto level = rate(first);
    if (!level) return std::unexpected(level.error());
    return add_level(first, *level);
  }

  // rate [for TIME]
  Parsed<void> add_level(const Word& at, const Rate& level) {
    const auto time = optional_length();
    if (!time) return std::unexpected(time.error());
    if (*time == Nanos::max() && level.nano_hits == 0) return slip(at, "a rate of 0 is a pause in a shape: say how long, like 0/s for 10s");
    return add(at, {.kind = Piece::Kind::level, .from = level, .to = level, .length = *time});
  }

  Parsed<void> hold() {
    const Word at = words_.peek();
    if (parts_->pieces.empty()) return slip(at, "there is nothing before to hold");
    const Piece& last = parts_->pieces.back();
    if (last.kind == Piece::Kind::sine || last.kind == Piece::Kind::bursts) return slip(at, "only a rate or a ramp can be held");
    const Rate level = last.to;
    const auto time = length();
    if (!time) return std::unexpected(time.error());
    return add(at, {.kind = Piece::Kind::level, .from = level, .to = level, .length = *time});
  }

  // FROM..TO over TIME, or FROM..TO step RATE every TIME
  Parsed<void> ramp(const Word& first) {
    const Word second = words_.take();
    const auto to = rate(second);
    if (!to) return std::unexpected(to.error());
    const auto from = like(first, *to);
    if (!from) return std::unexpected(from.error());
    if (words_.take_if("step")) return steps(first, *from, *to);
    if (!words_.take_if("over")) return slip(words_.peek(), "expected \"over TIME\", or \"step RATE every TIME\"");
    const auto time = length();
    if (!time) return std::unexpected(time.error());
    return add(first, {.kind = Piece::Kind::ramp, .from = *from, .to = *to, .length = *time});
  }

  Parsed<void> steps(const Word& first, const Rate& from, const Rate& to) {
    const Word word = words_.take();
    const auto step = like(word, to);
    if (!step) return std::unexpected(step.error());
    if (from.per != to.per || step->per != to.per) return slip(word, "the rates of steps must have one unit");
    if (step->nano_hits == 0) return slip(word, "a step must be more than 0");
    if (!words_.take_if("every")) return slip(words_.peek(), "expected \"every TIME\"");
    const auto time = length();
    if (!time) return std::unexpected(time.error());
    const bool is_up = to.nano_hits >= from.nano_hits;
    std::int64_t level = from.nano_hits;
    for (;;) {
      const Rate rate{level, to.per};
      if (auto added = add(first, {.kind = Piece::Kind::level, .from = rate, .to = rate, .length = *time}); !added) return added;
      if (level == to.nano_hits) return {};
      const std::int64_t left = is_up ? to.nano_hits - level : level - to.nano_hits;
      level += (is_up ? 1 : -1) * std::min(left, step->nano_hits);
    }
  }

  // COUNT every TIME [for TIME]
  Parsed<void> bursts(const Word& first) {
    if (parts_->is_random) return slip(first, "bursts come at fixed times: without poisson");
    if (first.text.find('/') != std::string_view::npos) return slip(first, "a burst is a number of hits, without a unit");
    auto count = rate(first);
    if (!count) return std::unexpected(count.error());
    if (count->nano_hits % load::kOneHit != 0 || count->nano_hits == 0) return slip(first, "a burst is a whole number of hits, at least 1");
    const auto every = length();
    if (!every) return std::unexpected(every.error());
    const auto time = optional_length();
    if (!time) return std::unexpected(time.error());
    count->per = *every;
    if (count->per_second() > static_cast<double>(kHighestRatePerSecond))
      return slip(first, fmt::format("too high, the highest rate is {}/s", kHighestRatePerSecond));
    return add(first, {.kind = Piece::Kind::bursts, .from = *count, .to = *count, .length = *time});
  }

  // sine mean RATE amp RATE period TIME [start WHERE] [for TIME]
  Parsed<void> sine() {
    const Word at = words_.peek();
    std::optional<Rate> mean, amp;
    Piece piece;
    piece.kind = Piece::Kind::sine;
    for (;;) {
      const Word word = words_.peek();
      if (words_.take_if("mean")) {
        if (auto r = put(mean); !r) return r;
      } else if (words_.take_if("amp")) {
        if (auto r = put(amp); !r) return r;
      } else if (words_.take_if("period")) {
        const auto time = length();
        if (!time) return std::unexpected(time.error());
        piece.period = *time;
      } else if (words_.take_if("start")) {
        const auto phase = phase_of(words_.take());
        if (!phase) return std::unexpected(phase.error());
        piece.phase = *phase;
      } else if (word.text.empty() || word.text == "," || word.text == "for") {
        break;
      } else {
        return slip(word, "a sine has mean RATE, amp RATE, period TIME, start mean|peak|falling|trough, for TIME");
      }
    }
    if (!mean || !amp || piece.period.count() == 0)
      return slip(at, "a sine needs all of mean RATE, amp RATE and period TIME, like sine mean 100/s amp 50/s period 20m");
    if (mean->nano_hits == 0) return slip(at, "a sine's mean must be more than 0");
    if (amp->per_second() > mean->per_second()) return slip(at, "a sine's amp can't be more than its mean: the rate would be negative");
    if (mean->per_second() + amp->per_second() > static_cast<double>(kHighestRatePerSecond))
      return slip(at, fmt::format("too high, the highest rate is {}/s", kHighestRatePerSecond));
    const auto time = optional_length();
    if (!time) return std::unexpected(time.error());
    piece.from = *mean;
    piece.to = *amp;
    piece.length = *time;
    return add(at, piece);
  }

  // spike base RATE peak RATE at TIME for TIME: as long after the peak as before it
  Parsed<void> spike() {
    const Word at = words_.peek();
    std::optional<Rate> base, peak;
    Nanos before{0}, during{0};
    while (!words_.is_over() && !words_.is_at(",")) {
      const Word word = words_.take();
      Nanos* time = word.text == "at" ? &before : word.text == "for" ? &during : nullptr;
      if (time != nullptr) {
        const auto read = length();
        if (!read) return std::unexpected(read.error());
        *time = *read;
      } else if (word.text == "base" || word.text == "peak") {
        if (auto r = put(word.text == "base" ? base : peak); !r) return r;
      } else {
        return slip(word, "a spike has base RATE, peak RATE, at TIME, for TIME");
      }
    }
    if (!base || !peak || before.count() == 0 || during.count() == 0)
      return slip(at, "a spike needs all of base RATE, peak RATE, at TIME and for TIME, like spike base 50/s peak 500/s at 30s for 10s");
    for (const auto& [level, time] : {std::pair(*base, before), std::pair(*peak, during), std::pair(*base, before)})
      if (auto added = add(at, {.kind = Piece::Kind::level, .from = level, .to = level, .length = time}); !added) return added;
    return {};
  }

  Parsed<void> file();
  Parsed<void> points(const Word& at, std::string_view name, std::string_view content);

  Parsed<void> add(const Word& at, const Piece& piece) {
    if (!parts_->add(piece, text_of(piece))) return slip(at, "longer than can be kept: a hundred years, 100,000 stages");
    return {};
  }

  static std::string text_of(const Piece& p) {
    const std::string time = p.is_endless() ? "" : " for " + format_duration(p.length);
    switch (p.kind) {
      case Piece::Kind::level:
        return load::rate_text(p.from) + time;
      case Piece::Kind::ramp:
        return fmt::format("{}..{} over {}", load::rate_text(p.from), load::rate_text(p.to), format_duration(p.length));
      case Piece::Kind::bursts:
        return fmt::format("{} every {}{}", p.from.nano_hits / 1'000'000'000, format_duration(p.from.per), time);
      case Piece::Kind::sine:
        break;
    }
    std::string_view start;
    for (const auto& [name, phase] : kPhases)
      if (phase == p.phase) start = name;
    return fmt::format("sine mean {} amp {} period {} start {}{}", load::rate_text(p.from), load::rate_text(p.to),
                       format_duration(p.period), start, time);
  }

  static constexpr std::pair<std::string_view, double> kPhases[] = {
      {"mean", 0}, {"peak", std::numbers::pi / 2}, {"falling", std::numbers::pi}, {"trough", -std::numbers::pi / 2}};
  static Parsed<double> phase_of(const Word& word) {
    for (const auto& [name, phase] : kPhases)
      if (word.text == name) return phase;
    return slip(word, "a sine starts at mean, peak, falling or trough");
  }

  static Parsed<Rate> rate(const Word& word) {
    if (word.text.empty() || word.text == "," || word.text == "..") return slip(word, "a rate is missing, like 50/s");
    auto read = load::read_rate(word.text);
    if (!read) return slip(word, std::move(read.error()));
    return *read;
  }

  // A rate that, without a unit of its own, has that of `other`.
  static Parsed<Rate> like(const Word& word, const Rate& other) {
    auto read = rate(word);
    if (!read || word.text.find('/') != std::string_view::npos) return read;
    if (read->nano_hits > static_cast<double>(kHighestRatePerSecond) * static_cast<double>(other.per.count()))
      return slip(word, fmt::format("too high, the highest rate is {}/s", kHighestRatePerSecond));
    read->per = other.per;
    return read;
  }

  Parsed<void> put(std::optional<Rate>& to) {
    auto read = rate(words_.take());
    if (!read) return std::unexpected(read.error());
    to = *read;
    return {};
  }

  Parsed<Nanos> length() {
    const Word word = words_.take();
    if (word.text.empty() || word.text == ",") return slip(word, "a time is missing, like 10s");
    const auto time = parse_duration(word.text);
    if (!time) return slip(word, "not a time; write it like 10s, 500ms or 1m30s");
    if (time->count() <= 0) return slip(word, "a time must be longer than 0");
    return *time;
  }

  Parsed<Nanos> optional_length() {
    if (!words_.take_if("for")) return Nanos::max();
    return length();
  }

  Words words_;
  std::shared_ptr<ShapeParts> parts_ = std::make_shared<ShapeParts>();
};

Parsed<void> Parser::file() {
  const Word at = words_.peek();
  const std::string name(trim(words_.rest().substr(1)));
  if (name.empty()) return slip(at, "a file's name is missing after the @");
  std::ifstream in(name, std::ios::binary);
  std::string content;
  if (in) content.assign(std::istreambuf_iterator<char>(in), {});
  if (!in && !in.eof()) return slip(at, fmt::format("can't read {}: {}", printable(name), std::strerror(errno)));
  if (content.size() > kLongestFile) return slip(at, fmt::format("{} is longer than 16 MiB", printable(name)));
  return points(at, name, content);
}

// Lines of time,rate: between two of them the rate goes in a straight line; equal times are a jump. A time without a unit is in
// seconds. A first line that is no point is taken for column names.
Parsed<void> Parser::points(const Word& at, std::string_view name, std::string_view content) {
  struct Point {
    Nanos time;
    Rate rate;
  };
  std::optional<Point> last;
  std::size_t number = 0;
  const auto bad_line = [&](std::string_view why) { return slip(at, fmt::format("{}:{}: {}", printable(name), number, why)); };
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    std::string_view line = trim(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
    ++number;
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t comma = line.find_first_of(",;\t");
    const std::string_view time_text = trim(line.substr(0, comma));
    const auto time =
        parse_duration(std::string(time_text) + (time_text.find_first_not_of("0123456789.") == std::string_view::npos ? "s" : ""));
    if (comma == std::string_view::npos || !time || time->count() < 0) {
      if (number == 1 && comma != std::string_view::npos) continue;
      return bad_line("expected time,rate like 1m30s,200/s or 90,200");
    }
    const auto rate = load::read_rate(trim(line.substr(comma + 1)));
    if (!rate) return bad_line(rate.error());
    const Point point{*time, *rate};
    if (!last && point.time.count() > 0) last = Point{Nanos(0), point.rate};
    if (last) {
      if (point.time < last->time) return bad_line("times must not go back");
      const Nanos length = point.time - last->time;
      const bool is_level = point.rate.nano_hits == last->rate.nano_hits && point.rate.per == last->rate.per;
      Piece piece{.kind = is_level ? Piece::Kind::level : Piece::Kind::ramp, .from = last->rate, .to = point.rate, .length = length};
      if (length.count() > 0)
        if (auto added = add(at, piece); !added) return added;
    }
    last = point;
  }
  if (parts_->pieces.empty()) return slip(at, fmt::format("{} has no two points: lines of time,rate are wanted", printable(name)));
  if (parts_->size == 0) return slip(at, "nothing would be sent");
  return {};
}

// One rate and nothing else was meant: none of the grammar's signs or words is in it.
bool is_plain(std::string_view text) {
  if (text.find_first_of(",@") != std::string_view::npos || text.find("..") != std::string_view::npos) return false;
  Words words(text);
  const bool starts_with_word = is_letter(words.take().text);
  if (words.is_over()) return true;
  while (!words.is_over())
    if (is_letter(words.take().text)) return false;
  return !starts_with_word;
}

}  // namespace

Expected<Shape> parse_shape(std::string_view text) {
  if (text == "infinity" || text == "max" || text == "unlimited") return Shape::closed();
  const auto rate = load::read_rate(text);
  if (rate) return rate->nano_hits == 0 ? Shape::closed() : Shape::constant(*rate);
  if (is_plain(text)) return usage_error(fmt::format("bad rate \"{}\": {}; {}", printable_prefix(text, 60), rate.error(), kExamples));
  auto parts = Parser(text).parse();
  if (parts) return Shape(std::move(*parts));
  const auto& [at, why] = parts.error();
  const std::size_t from = at > 60 ? at - 60 : 0;
  return usage_error(fmt::format("bad rate \"{}{}^{}\": {}", from > 0 ? "…" : "", printable(text.substr(from, at - from)),
                                 printable_prefix(text.substr(at), 60), why));
}

}  // namespace thrum
