#include "load/follow_ups.hpp"

#include <fmt/format.h>

#include <utility>

#include "http/redirect.hpp"

namespace thrum::load {

Expected<const Request*> FollowUps::next(const Request& from, int status, std::string_view location) {
  const bool repeats = http::repeats_request(status);
  if (const auto known = kept_.find({&from, repeats, location}); known != kept_.end()) return &known->second->request;

  auto prepared = http::follow(from.prepared, status, location);
  if (!prepared) return std::unexpected(std::move(prepared.error()));
  if (boundary_ != nullptr)
    if (std::string fault = boundary_->host_fault(prepared->url.host); !fault.empty()) return failure(std::move(fault));
  const Route* route = routes_.intern_redirected(prepared->url);
  if (route == nullptr) return failure(fmt::format("to more than {} other hosts", Routes::kMostRedirected));

  auto entry = std::make_unique<Entry>();
  entry->request.prepared = std::move(*prepared);
  set_route(entry->request, route);
  const http::PreparedRequest& request = entry->request.prepared;
  // Head and URL, in its parts and as a text, besides what the containers take.
  const std::size_t bytes = sizeof(Entry) + 64 + location.size() + request.head.size() + request.proxied_head.size() +
                            request.http2.bytes() + 2 * request.url_text.size();
  if (from.is_owned || kept_bytes_ + bytes > kMostBytes) {
    auto owned = std::make_unique<Request>(std::move(entry->request));
    owned->is_owned = true;
    return owned.release();
  }
  kept_bytes_ += bytes;
  entry->location = location;
  const Key key{&from, repeats, entry->location};
  return &kept_.emplace(key, std::move(entry)).first->second->request;
}

}  // namespace thrum::load
