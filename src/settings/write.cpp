#include "settings/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "base/fd.hpp"
#include "base/text.hpp"

namespace thrum::settings {
namespace {

// A basic string of TOML 1.0.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    else
      out += c;
  }
  return out + "\"";
}

// Short enough for TOML's integers, and the same when it is read again.
bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) &&
         (text.size() == 1 || text.front() != '0');
}

// 0, or what went wrong.
int write_all(const Fd& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

std::string value_text(const Name& name, std::string_view value) {
  if (name.is_switch && (value == "true" || value == "false")) return std::string(value);
  return is_number(value) ? std::string(value) : quoted(value);
}

}  // namespace

std::string file_text(std::span<const Setting> settings, std::span<const Name> names, std::string_view how) {
  std::string out = fmt::format("# Settings of thrum; keys are the names of flags. To run this: {}\n", printable(how));
  out += "# What the command line says wins, then variables such as THRUM_RATE, then this file; guards of all three hold.\n";
  for (const Name& name : names) {
    std::vector<std::string> values;
    for (const Setting& setting : settings)
      if (setting.name == name.name) values.push_back(value_text(name, setting.value));
    if (values.empty()) continue;
    if (name.repeats)
      out += fmt::format("{} = [{}]\n", name.name, fmt::join(values, ", "));
    else
      out += fmt::format("{} = {}\n", name.name, values.back());
  }
  return out;
}

Expected<void> write_new_file(const std::string& path, std::string_view text, bool is_secret) {
  const auto failed = [&](int code) {
    return failure(fmt::format("-write-config \"{}\": {}", printable(path), lower(std::generic_category().message(code))));
  };
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_secret ? 0600 : 0666));
  if (!fd.is_open()) {
    if (errno == EEXIST)
      return usage_error(fmt::format("-write-config \"{}\" is there already and is left alone; name another file", printable(path)));
    return failed(errno);
  }
  if (const int code = write_all(fd, text); code != 0) return failed(code);
  return {};
}

std::string_view tables_of(std::string_view text) {
  std::size_t comments = text.npos;  // where those begin that stand right above this line
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    if (line.starts_with('[')) return text.substr(std::min(at, comments));
    if (!line.starts_with('#'))
      comments = text.npos;
    else if (comments == text.npos)
      comments = at;
    at = end + 1;
  }
  return {};
}

Expected<void> replace_file(const std::string& path, std::string_view text, bool is_secret) {
  const auto failed = [](const std::string& file, int code) {
    return failure(fmt::format("config file \"{}\": {}", printable(file), lower(std::generic_category().message(code))));
  };
  // The file itself, if `path` is a link to it.
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  const std::string file = real ? real.get() : path, fresh = fmt::format("{}.{}", file, ::getpid()), before = file + "~";
  struct stat there{};
  const bool is_there = ::stat(file.c_str(), &there) == 0;
  const mode_t mode = is_there ? there.st_mode & 0777u : 0666u;
  {
    const Fd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_secret ? mode & 0600u : mode));
    if (!fd.is_open()) return failed(fresh, errno);
    int code = write_all(fd, text);
    if (code == 0 && ::fsync(fd.get()) != 0) code = errno;
    if (code != 0) {
      ::unlink(fresh.c_str());
      return failed(fresh, code);
    }
  }
  if (is_there) {
    ::unlink(before.c_str());
    if (::link(file.c_str(), before.c_str()) != 0) {
      const int code = errno;
      ::unlink(fresh.c_str());
      return failed(before, code);
    }
  }
  if (::rename(fresh.c_str(), file.c_str()) == 0) return {};
  const int code = errno;
  ::unlink(fresh.c_str());
  return failed(file, code);
}

}  // namespace thrum::settings
