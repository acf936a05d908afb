// Heads are read line by line in the caller's bytes; only a line that came in pieces is collected in line_. So no byte is
// looked at twice for being late, and what a response means never depends on where it was cut.
// As lenient as Go's client (bare LF, folded headers, spaces in names, any x.y version) because vegeta's users have such servers.
#include "http/response_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/text.hpp"
#include "http/syntax.hpp"

namespace thrum::http {
namespace {

constexpr std::string_view kVersionStart = "HTTP/";
constexpr std::size_t kMostKeptCapacity = 16 * 1024;  // of a line buffer, from one response to the next

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Each fold and the blanks around it become one space (RFC 9112 section 5.2).
std::string unfold(std::string_view line) {
  std::string out;
  while (!line.empty()) {
    const std::size_t fold = std::min(line.find('\n'), line.size());
    if (!out.empty()) out += ' ';
    out += trim_blanks(line.substr(0, fold));
    line.remove_prefix(std::min(fold + 1, line.size()));
  }
  return out;
}

}  // namespace

std::string_view describe(ParseError e) {
  switch (e) {
    case ParseError::none:
      return "no error";
    case ParseError::bad_status_line:
      return "malformed status line";
    case ParseError::bad_header:
      return "malformed header";
    case ParseError::head_too_large:
      return "headers larger than 256 KiB";
    case ParseError::bad_content_length:
      return "bad Content-Length";
    case ParseError::bad_transfer_encoding:
      return "unsupported Transfer-Encoding";
    case ParseError::bad_chunk:
      return "malformed chunked encoding";
    case ParseError::too_many_interim:
      return "too many 1xx responses";
    case ParseError::truncated:
      return "connection closed before the end of the response";
    case ParseError::empty:
      return "connection closed before the response";
    case ParseError::not_sent:
      return "request not sent whole";
    case ParseError::stream_reset:
      return "stream reset by the server";
    case ParseError::stream_refused:
      return "request not processed by the server";
    case ParseError::goaway:
      return "connection ended by the server";
    case ParseError::not_http2:
      return "the server does not speak it";
    case ParseError::protocol_broken:
      return "the server broke the protocol";
    case ParseError::bad_response:
      return "malformed response";
    case ParseError::wrong_length:
      return "body of another length than its content-length says";
  }
  return "unknown error";
}

void ResponseParser::reset(bool head_request, ResponseCapture* capture) {
  state_ = State::reading_head;
  error_ = ParseError::none;
  phase_ = Phase::status_line;
  head_request_ = head_request;
  begun_ = after_cr_ = line_waits_ = line_folded_ = chunk_digits_ = says_continue_ = false;
  status_ = interims_ = 0;
  body_bytes_ = left_ = 0;
  head_bytes_ = chunk_line_bytes_ = reason_at_ = reason_size_ = 0;
  framing_ = {};
  capture_ = capture;
  location_.clear();
  line_.clear();
  if (line_.capacity() > kMostKeptCapacity) line_.shrink_to_fit();
}

std::size_t ResponseParser::feed(std::span<const char> bytes) {
  const char* p = bytes.data();
  const char* const end = p + bytes.size();
  if (p != end && state_ == State::reading_head) {
    if (!begun_ && known_ != nullptr && capture_ == nullptr) p = read_first(p, end);
    begun_ = true;
  }
  while (p != end && (state_ == State::reading_head || state_ == State::reading_body)) {
    switch (phase_) {
      case Phase::status_line:
      case Phase::headers:
      case Phase::trailers:
        p = read_line(p, end);
        break;
      case Phase::body_of_length:
      case Phase::body_until_close:
      case Phase::chunk_data:
        p = read_body(p, end);
        break;
      default:
        p = read_chunk_framing(p, end);
    }
  }
  return static_cast<std::size_t>(p - bytes.data());
}

// The first bytes of a response that nobody captures. A head that is known, or is whole and plain enough to be known from now on, is over
// when this returns.
const char* ResponseParser::read_first(const char* p, const char* end) {
  if (const auto* head = known_->find({p, end})) {
    adopt(*head);
    return p + head->size;
  }
  const char* const begin = p;
  while (p != end && state_ == State::reading_head) p = read_line(p, end);
  const auto size = static_cast<std::size_t>(p - begin);
  const bool is_whole = state_ == State::reading_body || state_ == State::done;
  if (!is_whole || interims_ > 0 || !location_.empty() || size > KnownHeads::kMostBytes) return p;
  known_->learn({begin, size}, framing_, status_, reason_at_, reason_size_);
  return p;
}

void ResponseParser::adopt(const KnownHeads::Head& head) {
  framing_ = head.framing;
  status_ = head.status;
  reason_size_ = head.reason_size;
  std::memcpy(reason_.data(), head.bytes.data() + head.reason_at, reason_size_);
  phase_ = Phase::headers;
  begin_body();
}

void ResponseParser::end_of_stream() {
  if (state_ == State::done || state_ == State::failed) return;
  if (phase_ == Phase::body_until_close) {
    state_ = State::done;
  } else {
    fail(begun_ ? ParseError::truncated : ParseError::empty);
  }
}

void ResponseParser::skipped(std::size_t n) { pass_body(static_cast<std::size_t>(std::min<std::uint64_t>(n, skippable()))); }

bool ResponseParser::has_begun() const { return begun_; }

std::string_view ResponseParser::reason() const { return {reason_.data(), reason_size_}; }

std::uint64_t ResponseParser::skippable() const {
  const bool counted = phase_ == Phase::body_of_length || phase_ == Phase::chunk_data;
  return state_ == State::reading_body && counted && (capture_ == nullptr || !capture_->wants_body()) ? left_ : 0;
}

bool ResponseParser::keep_alive() const {
  return state_ == State::done && phase_ != Phase::body_until_close && !framing_.closes && (!framing_.http10 || framing_.keeps);
}

std::string_view ResponseParser::location() const { return location_; }

// Takes bytes to the end of one line, or as many as there are. All that is said here holds for trailers, too.
const char* ResponseParser::read_line(const char* p, const char* end) {
  const char* const stop = p + std::min(static_cast<std::size_t>(end - p), kMaxHeadBytes - head_bytes_);
  if (p == stop) return fail_at(p, ParseError::head_too_large);
  if (line_waits_) {
    line_waits_ = false;
    if (is_blank(*p)) {
      if (is_blank(line_.front())) return fail_at(p, ParseError::bad_header);
      line_folded_ = true;
      line_ += '\n';
    } else {
      read_kept_field();
      if (state_ == State::failed) return p;
    }
  }
  const char* const text_end = after_cr_ ? p : find_control(p, stop);
  if (text_end == stop) return keep_partial_line(p, stop);
  const char* lf = text_end;
  if (*lf == '\r' && !after_cr_) {
    if (++lf == stop) {
      after_cr_ = true;
      ++head_bytes_;
      keep_partial_line(p, text_end);
      return stop;
    }
  }
  if (*lf != '\n') return fail_at(lf, phase_ == Phase::status_line ? ParseError::bad_status_line : ParseError::bad_header);
  after_cr_ = false;
  const char* const next = lf + 1;
  head_bytes_ += static_cast<std::size_t>(next - p);

  std::string_view text(p, static_cast<std::size_t>(text_end - p));
  const bool in_pieces = !line_.empty();
  if (in_pieces) text = line_.append(text);
  if (phase_ == Phase::status_line) {
    read_status_line(text);
    line_.clear();
  } else if (text.empty()) {
    end_head();
  } else if (!in_pieces && next != stop && !is_blank(*next)) {
    read_field(text);
  } else {
    if (!in_pieces) line_ = text;
    line_waits_ = true;
  }
  return next;
}

// What is no HTTP is told at its first byte, not when the peer gets round to ending its line.
const char* ResponseParser::keep_partial_line(const char* from, const char* to) {
  line_.append(from, to);
  head_bytes_ += static_cast<std::size_t>(to - from);
  if (phase_ == Phase::status_line && line_.compare(0, kVersionStart.size(), kVersionStart, 0, line_.size()) != 0)
    fail(ParseError::bad_status_line);
  return to;
}

void ResponseParser::read_kept_field() {
  if (line_folded_) line_ = unfold(line_);
  line_folded_ = false;
  read_field(line_);
  line_.clear();
}

// HTTP-version SP status-code [SP reason-phrase] (RFC 9112 section 4). Servers leave out the last space, or write one more
// before the code; they also answer with versions of their own, whose first digit alone matters here.
void ResponseParser::read_status_line(std::string_view text) {
  const char* const begin = text.data();
  const bool has_version =
      text.size() > 9 && text.starts_with(kVersionStart) && is_digit(text[5]) && text[6] == '.' && is_digit(text[7]) && text[8] == ' ';
  if (!has_version) return fail(ParseError::bad_status_line);
  framing_.http10 = text[5] == '1' && text[7] == '0';
  framing_.closes = text[5] == '0';
  text.remove_prefix(9);
  while (text.starts_with(' ')) text.remove_prefix(1);
  const bool has_code =
      text.size() >= 3 && is_digit(text[0]) && is_digit(text[1]) && is_digit(text[2]) && (text.size() == 3 || text[3] == ' ');
  if (!has_code) return fail(ParseError::bad_status_line);
  const int status = (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
  phase_ = Phase::headers;
  // 101 is the last this exchange hears in HTTP/1.1: what follows its head is another protocol (RFC 9110 section 15.2.2).
  // It has no content (RFC 9112 section 6.3) and ends the connection for us. The other 1xx announce a response to come.
  framing_.interim = text[0] == '1' && status != 101;
  framing_.continues = status == 100;
  if (framing_.interim) return;
  if (status == 101) framing_.closes = true;
  status_ = status;
  if (text.size() > 4) {
    reason_at_ = static_cast<std::size_t>(text.data() + 4 - begin);
    reason_size_ = std::min(text.size() - 4, kMaxReason);
    std::memcpy(reason_.data(), text.data() + 4, reason_size_);
  }
}

void ResponseParser::read_field(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_token_char(text[n])) ++n;
  if (n == 0) return fail(ParseError::bad_header);
  // Spaces in and after a name are wrong but seen; those after it are no part of it (RFC 9112 section 5.1).
  std::size_t name_end = n;
  while (n < text.size() && (text[n] == ' ' || is_token_char(text[n])))
    if (text[n++] != ' ') name_end = n;
  if (n == text.size() || text[n] != ':') return fail(ParseError::bad_header);
  if (framing_.interim || phase_ == Phase::trailers) return;
  const std::string_view name = text.substr(0, name_end), value = trim_blanks(text.substr(n + 1));
  note_field(name, value);
  if (capture_) capture_->on_header(name, value);
}

// Keeps what framing and connection handling need. Lengths of names come first: most fields are none of these.
void ResponseParser::note_field(std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 8:
      if (location_.empty() && is_field(name, "location")) location_ = value.substr(0, kMaxLocation + 1);
      break;
    case 10:
      if (is_field(name, "connection")) {
        framing_.closes = framing_.closes || list_holds(value, "close");
        framing_.keeps = framing_.keeps || list_holds(value, "keep-alive");
      }
      break;
    case 14:
      if (is_field(name, "content-length")) note_length(value);
      break;
    case 17:
      if (is_field(name, "transfer-encoding")) {
        // Chunked, once, is all that we can undo; nothing else was offered in TE.
        if (framing_.chunked || !equal_ignoring_case(value, "chunked")) framing_.bad_coding = true;
        framing_.chunked = true;
      }
      break;
    default:
      break;
  }
}

// Digits only. Several lines may repeat a length but not disagree (RFC 9112 section 6.3, item 5); lists are refused.
void ResponseParser::note_length(std::string_view digits) {
  std::int64_t length = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, failed] = std::from_chars(digits.data(), end, length);
  if (failed != std::errc() || stopped != end || !is_digit(digits.front())) {
    framing_.bad_length = true;
    return;
  }
  const auto n = static_cast<std::uint64_t>(length);
  if (framing_.has_length && framing_.length != n) framing_.bad_length = true;
  framing_.has_length = true;
  framing_.length = n;
}

void ResponseParser::end_head() {
  head_bytes_ = 0;
  if (phase_ == Phase::trailers) {
    state_ = State::done;
  } else if (!framing_.interim) {
    begin_body();
  } else if (++interims_ > kMaxInterim) {
    fail(ParseError::too_many_interim);
  } else {
    says_continue_ = says_continue_ || framing_.continues;
    framing_ = {};
    phase_ = Phase::status_line;
  }
}

// How long the content is: RFC 9112 section 6.3. Chunked wins over a length, right or wrong.
void ResponseParser::begin_body() {
  if (framing_.bad_coding) return fail(ParseError::bad_transfer_encoding);
  if (framing_.bad_length && !framing_.chunked) return fail(ParseError::bad_content_length);
  // A chunked answer from HTTP/1.0 has faulty framing: it is read as it says, then the connection goes (section 6.1).
  if (framing_.chunked && framing_.http10) framing_.closes = true;
  const bool no_content = head_request_ || status_ == 101 || status_ == 204 || status_ == 304;
  if (no_content || (!framing_.chunked && framing_.has_length && framing_.length == 0)) {
    state_ = State::done;
    return;
  }
  state_ = State::reading_body;
  if (framing_.chunked) {
    phase_ = Phase::chunk_size;
  } else if (framing_.has_length) {
    phase_ = Phase::body_of_length;
    left_ = framing_.length;
  } else {
    phase_ = Phase::body_until_close;
  }
}

const char* ResponseParser::read_body(const char* p, const char* end) {
  std::uint64_t n = static_cast<std::uint64_t>(end - p);
  if (phase_ != Phase::body_until_close) n = std::min(n, left_);
  if (capture_) capture_->on_body({p, static_cast<std::size_t>(n)});
  pass_body(static_cast<std::size_t>(n));
  return p + n;
}

void ResponseParser::pass_body(std::size_t n) {
  body_bytes_ += n;
  if (phase_ == Phase::body_until_close || n == 0) return;
  left_ -= n;
  if (left_ > 0) return;
  if (phase_ == Phase::chunk_data) {
    phase_ = Phase::chunk_data_cr;
  } else {
    state_ = State::done;
  }
}

// chunk-size [chunk-ext] CRLF, and the CRLF after a chunk's data (RFC 9112 section 7.1). Lines end in CRLF here: the leave to
// take a bare LF is for the head alone (section 2.2). Extensions are skipped.
const char* ResponseParser::read_chunk_framing(const char* p, const char* end) {
  for (; p != end && state_ != State::failed; ++p) {
    const char c = *p;
    switch (phase_) {
      case Phase::chunk_data_cr:
        if (c != '\r') return fail_at(p, ParseError::bad_chunk);
        phase_ = Phase::chunk_data_lf;
        continue;
      case Phase::chunk_data_lf:
        if (c != '\n') return fail_at(p, ParseError::bad_chunk);
        phase_ = Phase::chunk_size;
        continue;
      case Phase::chunk_size_lf:
        if (c != '\n') return fail_at(p, ParseError::bad_chunk);
        end_chunk_size();
        return p + 1;
      default:
        break;
    }
    const int digit = phase_ == Phase::chunk_size ? hex_value(c) : -1;
    if (++chunk_line_bytes_ > kMaxChunkLine) {
      fail(ParseError::bad_chunk);
    } else if (digit >= 0) {
      add_chunk_digit(digit);
    } else if (!chunk_digits_) {
      fail(ParseError::bad_chunk);
    } else if (c == '\r') {
      phase_ = Phase::chunk_size_lf;
    } else if (phase_ == Phase::chunk_extension ? is_control(c) : c != ';' && !is_blank(c)) {
      fail(ParseError::bad_chunk);
    } else if (phase_ != Phase::chunk_extension) {
      phase_ = c == ';' ? Phase::chunk_extension : Phase::chunk_blank;
    }
  }
  return p;
}

void ResponseParser::add_chunk_digit(int digit) {
  chunk_digits_ = true;
  if (left_ >> 59 != 0) return fail(ParseError::bad_chunk);  // 2^63 and more
  left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
}

void ResponseParser::end_chunk_size() {
  phase_ = left_ > 0 ? Phase::chunk_data : Phase::trailers;
  chunk_digits_ = false;
  chunk_line_bytes_ = 0;
}

void ResponseParser::fail(ParseError e) {
  state_ = State::failed;
  error_ = e;
}

const char* ResponseParser::fail_at(const char* p, ParseError e) {
  fail(e);
  return p;
}

}  // namespace thrum::http
