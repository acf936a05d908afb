// The parts of a recorded URL that filters and groups look at, as views into it. Results files can hold any text for a URL, so
// nothing is refused: what has no host has an empty one.
#pragma once

#include <algorithm>
#include <string_view>

namespace thrum {

struct UrlView {
  std::string_view origin;          // "http://host:8080", as written
  std::string_view host;            // with its port, without user name and password
  std::string_view path;            // "/" where none is written
  std::string_view path_and_query;  // likewise; no fragment
};

inline UrlView view_of(std::string_view url) {
  constexpr std::string_view kScheme = "://";
  UrlView view;
  const std::string_view whole = url.substr(0, url.find('#'));
  const std::size_t scheme = whole.substr(0, whole.find_first_of("/?")).ends_with(':') ? whole.find(kScheme) : whole.npos;
  const std::size_t host = scheme == whole.npos ? 0 : scheme + kScheme.size();
  const std::size_t path = std::min(whole.find_first_of("/?", host), whole.size());
  view.origin = whole.substr(0, path);
  view.host = view.origin.substr(host);
  view.host.remove_prefix(view.host.rfind('@') + 1);  // npos + 1 is 0
  view.path_and_query = whole.substr(path);
  view.path = view.path_and_query.substr(0, view.path_and_query.find('?'));
  if (view.path.empty()) view.path = "/";
  if (view.path_and_query.empty()) view.path_and_query = "/";
  return view;
}

}  // namespace thrum
