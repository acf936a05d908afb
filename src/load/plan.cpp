#include "load/plan.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "base/text.hpp"

namespace thrum::load {

namespace {

std::string key_of(const http::Url& url) { return fmt::format("{}|{}|{}", url.tls ? 's' : 'p', url.port, lower(url.host)); }

}  // namespace

const Route* Routes::intern(const http::Url& url) {
  std::string key = key_of(url);
  const std::lock_guard lock(mutex_);
  if (const Route* known = find(key)) return known;
  return add(std::move(key), url);
}

const Route* Routes::intern_redirected(const http::Url& url) {
  std::string key = key_of(url);
  const std::lock_guard lock(mutex_);
  if (const Route* known = find(key)) return known;
  if (redirected_ == kMostRedirected) return nullptr;
  ++redirected_;
  return add(std::move(key), url);
}

std::size_t Routes::size() const {
  const std::lock_guard lock(mutex_);
  return routes_.size();
}

bool Routes::has_tls() const {
  const std::lock_guard lock(mutex_);
  return has_tls_;
}

const Route* Routes::find(const std::string& key) const {
  const auto known = by_key_.find(key);
  return known == by_key_.end() ? nullptr : known->second;
}

const Route* Routes::add(std::string key, const http::Url& url) {
  Route route;
  route.endpoint = {url.host, url.port, url.tls, {}};
  ways_.choose(url, route);
  route.index = static_cast<std::uint32_t>(routes_.size());
  has_tls_ = has_tls_ || url.tls || route.way.proxy_tls;
  routes_.push_back(std::move(route));
  by_key_.emplace(std::move(key), &routes_.back());
  return &routes_.back();
}

Expected<std::shared_ptr<const http::Expectation>> ExpectationsOf::target(const Expectations& own) {
  const Expectations all = combined(of_all_, own);
  std::string key = all.status + '\0' + all.size;
  for (const auto* list : {&all.header, &all.body, &all.json}) {
    key += '\1';
    for (const std::string& one : *list) (key += '\0') += one;
  }
  if (const auto known = kept_.find(key); known != kept_.end()) return known->second;
  auto made = http::Expectation::make(all);
  if (!made) return made;
  if (kept_.size() == kMostKept) kept_.clear();
  kept_.emplace(std::move(key), *made);
  return made;
}

std::string Routes::proxies() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string_view> names;
  for (const Route& route : routes_)
    if (!route.proxy.empty()) names.insert(route.proxy);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace thrum::load
