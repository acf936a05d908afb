#include "serve/request_parser.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace thrum::serve {
namespace {

constexpr std::uint32_t kMaxChunkLine = 4096;  // size and extensions of one chunk

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void RequestParser::fail(RequestError e) {
  state_ = State::failed;
  error_ = e;
}

void RequestParser::reset() {
  assert(state_ != State::failed);
  if (!held_.empty()) std::string().swap(held_);  // idle connections are to be small
  content_left_ = UINT64_MAX;
  state_ = State::head;
  line_ = Line::inside;
  kept_ = false;
}

void RequestParser::keep_head(const RequestHead& head) {
  if (kept_) return;
  kept_ = true;
  if (held_.empty()) held_.assign(head.raw);
}

void RequestParser::limit_content(std::uint64_t most) {
  if (!chunked_ && remaining_ > most) return fail(RequestError::body_too_large);
  content_left_ = most;
}

std::size_t RequestParser::feed(std::span<const char> bytes, RequestHead& head, std::string* content) {
  switch (state_) {
    case State::head:
      return feed_head(bytes, head);
    case State::body: {
      const std::size_t n = chunked_ ? feed_chunked(bytes, content) : feed_length(bytes, content);
      if (state_ == State::done && kept_) parse_head(held_, head);
      return n;
    }
    case State::done:
    case State::failed:
      return 0;
  }
  return 0;
}

// Looks for the blank line that ends the head, going on where the last piece left off.
std::size_t RequestParser::feed_head(std::span<const char> bytes, RequestHead& head) {
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  const char* start = begin;
  if (held_.empty())
    while (start != end && (*start == '\r' || *start == '\n')) ++start;  // RFC 9112 section 2.2: blank lines before it
  const char* at = start;
  bool complete = false;
  while (at != end && !complete) {
    if (line_ == Line::inside) {
      at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
      if (at == nullptr) break;
      line_ = Line::after_lf;
    } else if (*at == '\n') {
      complete = true;
    } else {
      line_ = line_ == Line::after_lf && *at == '\r' ? Line::after_lf_cr : Line::inside;
    }
    ++at;
  }
  if (at == nullptr) at = end;
  const std::string_view piece(start, static_cast<std::size_t>(at - start));
  if (held_.size() + piece.size() > kMaxRequestHead) {
    fail(RequestError::head_too_large);
  } else if (!complete) {
    held_.append(piece);
  } else if (held_.empty()) {
    this->begin(head, piece);
  } else {
    held_.append(piece);
    this->begin(head, held_);
  }
  return static_cast<std::size_t>(at - begin);
}

void RequestParser::begin(RequestHead& head, std::string_view raw) {
  if (const RequestError e = parse_head(raw, head); e != RequestError::none) return fail(e);
  state_ = head.has_body() ? State::body : State::done;
  chunked_ = head.is_chunked;
  remaining_ = head.content_length.value_or(0);
  chunk_ = Chunk::size_start;
  line_bytes_ = 0;
}

std::size_t RequestParser::feed_length(std::span<const char> bytes, std::string* content) {
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), remaining_));
  if (content != nullptr) content->append(bytes.data(), n);
  remaining_ -= n;
  if (remaining_ == 0) state_ = State::done;
  return n;
}

std::size_t RequestParser::feed_chunked(std::span<const char> bytes, std::string* content) {
  std::size_t i = 0;
  while (i < bytes.size() && state_ == State::body) {
    if (chunk_ != Chunk::data) {
      if (!feed_chunk_byte(bytes[i])) break;
      ++i;
      continue;
    }
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size() - i, remaining_));
    if (content != nullptr) content->append(bytes.data() + i, n);
    i += n;
    remaining_ -= n;
    if (remaining_ == 0) chunk_ = Chunk::data_cr;
  }
  return i;
}

// One byte of a chunk's framing (RFC 9112 section 7.1). False: it failed, and the byte was not taken.
bool RequestParser::feed_chunk_byte(char c) {
  const auto refuse = [this](RequestError e) {
    fail(e);
    return false;
  };
  switch (chunk_) {
    case Chunk::size_start:
      if (hex_digit(c) < 0) return refuse(RequestError::bad_chunk);
      remaining_ = static_cast<std::uint64_t>(hex_digit(c));
      line_bytes_ = 1;
      chunk_ = Chunk::size;
      return true;
    case Chunk::size:
      if (++line_bytes_ > kMaxChunkLine) return refuse(RequestError::bad_chunk);
      if (const int digit = hex_digit(c); digit >= 0) {
        if (remaining_ >> 60 != 0) return refuse(RequestError::bad_chunk);
        remaining_ = remaining_ << 4 | static_cast<std::uint64_t>(digit);
        return true;
      }
      if (c == '\r')
        chunk_ = Chunk::size_lf;
      else if (c == ';' || c == ' ' || c == '\t')
        chunk_ = Chunk::extension;
      else
        return refuse(RequestError::bad_chunk);
      return true;
    case Chunk::extension:
      if (++line_bytes_ > kMaxChunkLine || (static_cast<unsigned char>(c) < ' ' && c != '\r' && c != '\t'))
        return refuse(RequestError::bad_chunk);
      if (c == '\r') chunk_ = Chunk::size_lf;
      return true;
    case Chunk::size_lf:
      if (c != '\n') return refuse(RequestError::bad_chunk);
      if (remaining_ > content_left_) return refuse(RequestError::body_too_large);
      content_left_ -= remaining_;
      chunk_ = remaining_ == 0 ? Chunk::trailer : Chunk::data;
      line_ = Line::after_lf;
      line_bytes_ = 0;
      return true;
    case Chunk::data_cr:
    case Chunk::data_lf:
      if (c != (chunk_ == Chunk::data_cr ? '\r' : '\n')) return refuse(RequestError::bad_chunk);
      chunk_ = chunk_ == Chunk::data_cr ? Chunk::data_lf : Chunk::size_start;
      return true;
    case Chunk::trailer:
      return feed_trailer_byte(c);
    case Chunk::data:
      break;
  }
  return refuse(RequestError::bad_chunk);
}

// Trailers are read over, up to the blank line.
bool RequestParser::feed_trailer_byte(char c) {
  if (++line_bytes_ > kMaxRequestHead) {
    fail(RequestError::head_too_large);
    return false;
  }
  if (line_ == Line::after_lf_cr && c != '\n') {
    fail(RequestError::bad_chunk);
    return false;
  }
  if (c == '\n') {
    if (line_ != Line::inside) state_ = State::done;
    line_ = Line::after_lf;
  } else {
    line_ = line_ == Line::after_lf && c == '\r' ? Line::after_lf_cr : Line::inside;
  }
  return true;
}

}  // namespace thrum::serve
