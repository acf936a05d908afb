#include "settings/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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
  while (!text.empty()) {
    const ssize_t n = ::write(fd.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace thrum::settings
