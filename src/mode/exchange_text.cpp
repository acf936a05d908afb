#include "mode/exchange_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/duration.hpp"
#include "base/text.hpp"

namespace thrum::mode {
namespace {

constexpr std::size_t kMostKept = std::size_t{64} << 20;  // of one direction at a time, heads and bodies
constexpr std::size_t kMostHead = 300 * 1024;

// Past the empty line that ends the first head in `text`; npos if it has none.
std::size_t end_of_head(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos;) {
    ++at;
    if (text.substr(at).starts_with("\r\n")) return at + 2;
    if (text.substr(at).starts_with('\n')) return at + 1;
  }
  return text.npos;
}

bool is_interim(std::string_view head) {
  const std::size_t at = head.starts_with("HTTP/") ? head.find(' ') : head.starts_with(":status:") ? 8 : head.npos;
  return at != head.npos && head.substr(at).starts_with(" 1") && !head.substr(at).starts_with(" 101");
}

bool is_text(std::string_view s) {
  std::uint32_t point = 0;
  while (!s.empty()) {
    const std::size_t n = utf8_length(s, point);
    // A sequence cut short by our own limit is no fault of the text.
    if (n == 0) return s.size() < 4 && (static_cast<unsigned char>(s.front()) & 0xc0) == 0xc0;
    if (point < ' ' && point != '\n' && point != '\r' && point != '\t') return false;
    s.remove_prefix(n);
  }
  return true;
}

std::string span(std::string_view what, Nanos time) {
  return time == Result::kNone ? "" : fmt::format(", {} {}", what, format_duration(time));
}

}  // namespace

void ExchangeText::on_connection(const ConnectionFacts& f) {
  flush();
  text_ += "* connected";
  if (!f.peer.empty()) text_ += " to " + printable(f.peer);
  if (!f.proxy.empty()) text_ += ", by the proxy " + printable(f.proxy);
  text_ += f.is_http2 ? ", HTTP/2\n" : ", HTTP/1.1\n";
  if (!f.tls.empty()) text_ += fmt::format("* {}, {}{}\n", f.tls, f.cipher, f.is_resumed ? ", session resumed" : "");
  if (!f.certificate.empty()) text_ += "* certificate: " + printable(f.certificate) + "\n";
}

void ExchangeText::add(Direction direction, std::string_view bytes) {
  if (direction != direction_) flush();
  direction_ = direction;
  total_ += bytes.size();
  const std::size_t most = most_body_ < 0 ? kMostKept : kMostHead + std::min<std::size_t>(static_cast<std::size_t>(most_body_), kMostKept);
  bytes_ += bytes.substr(0, most - std::min(most, bytes_.size()));
}

void ExchangeText::flush() {
  std::string_view rest = bytes_;
  const bool is_out = direction_ == Direction::out;
  bool has_head = !(is_out && std::exchange(awaits_body_, false)) && direction_ != Direction::none;
  while (has_head && !rest.empty()) {
    const std::size_t end = std::min(end_of_head(rest), rest.size());
    const std::string_view head = rest.substr(0, end);
    show_lines(head);
    rest.remove_prefix(end);
    has_head = !is_out && is_interim(head);
    awaits_body_ = has_head;
  }
  if (!rest.empty()) show_body(rest, total_ - (bytes_.size() - rest.size()));
  bytes_.clear();
  total_ = 0;
  direction_ = Direction::none;
}

void ExchangeText::show_lines(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == head.npos ? head.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text_ += direction_ == Direction::out ? '>' : '<';
    if (!line.empty()) text_ += ' ' + printable(line, true);
    text_ += '\n';
  }
}

void ExchangeText::show_body(std::string_view body, std::uint64_t size) {
  if (most_body_ >= 0) body = body.substr(0, static_cast<std::size_t>(most_body_));
  if (!is_text(body)) {
    text_ += fmt::format("({} bytes that are not text)\n", size);
    return;
  }
  const bool ends_line = body.empty() || body.back() == '\n';
  for (std::string_view rest = body; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text_ += printable(line, true);
    if (end != std::string_view::npos) text_ += '\n';
  }
  if (!ends_line) text_ += '\n';
  if (body.size() < size)
    text_ += fmt::format("({} of {} bytes shown{})\n", body.size(), size, most_body_ < 0 ? "" : "; -max-body=-1 shows all");
}

void ExchangeText::on_end(std::uint64_t hit) {
  flush();
  awaits_body_ = false;
  const std::lock_guard lock(mutex_);
  ended_[hit] = std::exchange(text_, {});
}

std::string ExchangeText::take(const Result& r) {
  std::string text = fmt::format("* {} {}\n", printable(r.method), printable(r.url));
  {
    const std::lock_guard lock(mutex_);
    if (const auto watched = ended_.extract(r.seq)) text += watched.mapped();
  }
  text += "* ";
  if (r.error.empty())
    text += std::to_string(r.code);
  else
    text += printable(r.error);
  text += " after " + format_duration(r.latency);
  text += span("dns", r.dns) + span("connect", r.connect) + span("TLS", r.tls) + span("first byte", r.first_byte);
  text += fmt::format("; body: {} bytes out, {} bytes in", r.bytes_out, r.bytes_in);
  if (r.redirects > 0) text += fmt::format("; {} redirect{} followed", r.redirects, r.redirects == 1 ? "" : "s");
  if (r.retries > 0) text += fmt::format("; sent again {} time{}, on another connection", r.retries, r.retries == 1 ? "" : "s");
  return text + "\n\n";
}

}  // namespace thrum::mode
