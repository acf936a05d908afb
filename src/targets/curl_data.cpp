#include "targets/curl_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "targets/curl_url.hpp"
#include "targets/file.hpp"

namespace thrum::targets {

Expected<std::string> CurlFiles::read(std::string_view path, std::string_view option) {
  const bool is_stdin = path == "-";
  if (may_ == May::nothing) return usage_error(fmt::format("{} of the curl command: no files are read here", option));
  if (is_stdin && std::exchange(may_, May::files) == May::files)
    return usage_error(fmt::format("{} of the curl command reads stdin, which is read already; name a file", option));
  // "stdin" is a file's name to curl.
  std::string name(path);
  if (!is_stdin && is_standard_input(path)) name.insert(0, "./");
  auto bytes = read_body(name, fmt::format("{} of the curl command: file", option));
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  return std::string(**bytes);
}

Expected<std::string> escape_curl_data(std::string_view option, std::string_view value, CurlFiles& files) {
  // The first of the two signs counts, and a name before it stays as it is.
  const std::size_t sign = value.find_first_of("=@");
  std::string out, content(value);
  if (sign != value.npos) {
    out = value.substr(0, sign);
    content = value.substr(sign + 1);
    if (!out.empty()) out += '=';
    if (value[sign] == '@') {
      auto bytes = files.read(content, option);
      if (!bytes) return bytes;
      content = std::move(*bytes);
    }
  }
  std::string escaped = escape_all(content);
  // Blanks as forms have them.
  for (std::size_t at = escaped.find("%20"); at != escaped.npos; at = escaped.find("%20", at + 1)) escaped.replace(at, 3, "+");
  return out + escaped;
}

Expected<std::string> read_curl_data(CurlAct act, std::string_view option, std::string_view value, CurlFiles& files) {
  if (act == CurlAct::data_urlencode) return escape_curl_data(option, value, files);
  if (act == CurlAct::data_raw || !value.starts_with('@')) return std::string(value);
  auto bytes = files.read(value.substr(1), option);
  if (bytes && act == CurlAct::data) std::erase_if(*bytes, [](char c) { return c == '\n' || c == '\r' || c == '\0'; });
  return bytes;
}

void add_curl_data(std::string& data, bool& has_data, CurlAct act, std::string_view more) {
  if (has_data && act != CurlAct::json) data += '&';
  data += more;
  has_data = true;
}

}  // namespace thrum::targets
