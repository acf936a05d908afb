#include "serve/access_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string_view>

#include "base/text.hpp"

namespace thrum::serve {
namespace {

constexpr std::size_t kMany = 256 * 1024;

// What a client wrote, which may be anything, as a JSON string.
void append_quoted(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\')
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    else
      out += c;
  }
  out += '"';
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == text.npos && (text.size() == 1 || text[0] != '0');
}

}  // namespace

Expected<std::unique_ptr<AccessLog>> AccessLog::create(const std::string& path, net::Timers& timers) {
  Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.is_open()) return failure(fmt::format("-log {}: {}", printable(path), std::strerror(errno)));
  return std::unique_ptr<AccessLog>(new AccessLog(std::move(file), timers));
}

AccessLog::AccessLog(Fd file, net::Timers& timers) : file_(std::move(file)), later_(timers, [this] { write(); }) {}

AccessLog::~AccessLog() { write(); }

void AccessLog::note(const RequestHead& head) {
  const auto ns = std::chrono::system_clock::now().time_since_epoch();
  fmt::format_to(std::back_inserter(lines_), "{{\"ns\":{},\"method\":", std::chrono::duration_cast<Nanos>(ns).count());
  append_quoted(head.method, lines_);
  lines_ += ",\"target\":";
  append_quoted(head.target, lines_);
  if (const auto seq = head.header("X-Thrum-Seq"); seq && is_number(*seq)) (lines_ += ",\"seq\":") += *seq;
  lines_ += "}\n";
  if (waiting_++ == 0) later_.set(now() + std::chrono::seconds(1));
  if (lines_.size() >= kMany) write();
}

void AccessLog::write() {
  for (std::string_view left = lines_; !left.empty();) {
    const ssize_t n = ::write(file_.get(), left.data(), left.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      lost_ += waiting_;
      break;
    }
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  lines_.clear();
  waiting_ = 0;
  later_.cancel();
}

}  // namespace thrum::serve
