// Any text: a URL that can be sent, or one line that says why not; and what is guessed where it has no scheme.
#include <cstdint>
#include <string_view>

#include "http/url.hpp"
#include "require.hpp"
#include "targets/url_guess.hpp"

using thrum::fuzz::require;

namespace {

bool is_clean(std::string_view s) {
  for (char c : s)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto guessed = thrum::targets::guessed_url(text);
  require(guessed.has_value() == (text.find("://") == text.npos));
  if (guessed) require(guessed->starts_with("http") && guessed->size() <= text.size() + std::string_view("https://[]").size());
  (void)thrum::targets::looks_like_url(text);
  const auto url = thrum::http::parse_url(text);
  if (!url) {
    require(!url.error().text.empty() && is_clean(url.error().text));
    return 0;
  }
  require(!url->host.empty() && url->port != 0);
  require(url->target.starts_with('/') && is_clean(url->target));
  require(!url->authority.empty() && is_clean(url->authority) && url->authority.find_first_of(" /?#@") == std::string::npos);
  // What is sent names the same place and page when it is read again.
  const auto again = thrum::http::parse_url((url->tls ? "https://" : "http://") + url->authority + url->target);
  require(again && again->port == url->port && again->authority == url->authority && again->target == url->target);
  return 0;
}
