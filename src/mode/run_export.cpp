#include "mode/run_export.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <system_error>

#include "base/fd.hpp"
#include "base/text.hpp"
#include "ui/setup_form.hpp"

namespace thrum::mode {
namespace {

constexpr int kMostOfOneSecond = 100;

int write_all(const Fd& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

Expected<std::string> write_export(std::string_view extension, std::string_view text) {
  const std::time_t at = std::time(nullptr);
  std::tm when{};
  ::localtime_r(&at, &when);
  char stamp[32];
  (void)std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &when);
  for (int i = 1; i <= kMostOfOneSecond; ++i) {
    const std::string name = fmt::format("thrum-{}{}.{}", stamp, i == 1 ? "" : fmt::format("-{}", i), extension);
    const Fd fd(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd.is_open() && errno == EEXIST) continue;
    const int code = fd.is_open() ? write_all(fd, text) : errno;
    if (code == 0) return name;
    if (fd.is_open()) ::unlink(name.c_str());
    return failure(fmt::format("{}: {}", name, lower(std::generic_category().message(code))));
  }
  return failure("a hundred files of this second are there already");
}

std::string curl_text(const RunRequest& request) {
  if (request.is_curl && !request.curl.empty()) {
    std::string out;
    for (const std::string& word : request.curl) out += (out.empty() ? "" : " ") + (request.curl.size() == 1 ? word : ui::shell_word(word));
    return out;
  }
  const AttackOptions& o = request.attack.options;
  std::string out = "curl";
  const auto add = [&](std::string_view flag, std::string_view value) { out += fmt::format(" {} {}", flag, ui::shell_word(value)); };
  if (request.method != "GET") add("-X", request.method);
  for (const auto& [name, value] : o.headers) add("-H", fmt::format("{}: {}", name, value));
  // A text that begins with @ is a file for both.
  if (!request.body.empty()) add("--data-binary", request.body);
  if (o.redirects >= 0) out += " -L";
  if (!o.tls.verify) out += " -k";
  if (!o.proxy.url.empty()) add("-x", o.proxy.url);
  if (!o.unix_socket.empty()) add("--unix-socket", o.unix_socket);
  return out + ' ' + ui::shell_word(request.url);
}

}  // namespace thrum::mode
