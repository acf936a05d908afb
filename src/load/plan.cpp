#include "load/plan.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace thrum::load {

const Route* Routes::intern(const http::Url& url) {
  std::string key = fmt::format("{}|{}|{}", url.tls ? 's' : 'p', url.port, lower(url.host));
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) return known->second;
  Route route;
  route.endpoint = {url.host, url.port, url.tls, {}};
  route.way = ways_.way_to(url);
  route.index = static_cast<std::uint32_t>(routes_.size());
  has_tls_ = has_tls_ || url.tls;
  routes_.push_back(std::move(route));
  by_key_.emplace(std::move(key), &routes_.back());
  return &routes_.back();
}

}  // namespace thrum::load
