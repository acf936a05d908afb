#include "measure/label_counts.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace thrum {
namespace {

// The entry of a label set. Beyond the limit: that of the same status without the other labels, for fifty of those, and at last
// that of no label at all.
template <class Entry, class Index>
Entry& entry_of(std::vector<Entry>& entries, Index& index, LabelSet set, std::size_t most) {
  constexpr std::size_t kMostRests = 50;
  for (const std::size_t limit : {most, most + kMostRests}) {
    if (const auto known = index.find(set); known != index.end()) return entries[known->second];
    if (entries.size() < limit) break;
    set = limit == most ? LabelSet{.status = set.status} : LabelSet{};
  }
  const auto [place, is_new] = index.emplace(set, entries.size());
  if (is_new) entries.emplace_back().labels = set;
  return entries[place->second];
}

}  // namespace

std::string url_label(std::string_view url) {
  std::string label(url.substr(0, url.find_first_of("?#")));
  const std::size_t scheme = label.find("://");
  if (scheme == label.npos) return label;
  const std::size_t host = scheme + 3;
  const std::size_t path = std::min(label.find('/', host), label.size());
  const std::size_t user = label.substr(host, path - host).rfind('@');
  if (user != label.npos) label.erase(host, user + 1);
  return label;
}

std::uint32_t Labels::number_of(std::string_view text) {
  // Equal on the page means equal here: escapes are made before texts are compared.
  const std::string label = printable(text);
  if (const auto known = numbers_.find(label); known != numbers_.end()) return known->second;
  if (label == texts_[0] || texts_.size() > most_ || bytes_ + label.size() > kMostBytes) return 0;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  bytes_ += label.size();
  texts_.push_back(label);
  numbers_.emplace(label, number);
  return number;
}

std::size_t LabelCounts::Hash::operator()(const LabelSet& set) const {
  std::uint64_t h = (std::uint64_t{set.url} << 32) ^ (std::uint64_t{set.message} << 20) ^ (std::uint64_t{set.method} << 16) ^ set.status;
  h *= 0x9e3779b97f4a7c15;
  return h ^ h >> 32;
}

void LabelCounts::add(std::span<const Result> results) {
  for (const Result& result : results) add(result);
}

void LabelCounts::add(const Result& r) {
  LabelSet set;
  set.method = known_methods_.get(r.method, [&](std::string_view text) { return methods_.number_of(text); });
  set.url = known_urls_.get(r.url, [&](std::string_view text) { return urls_.number_of(url_label(text)); });
  set.status = r.code;
  Requests& requests = entry_of(requests_, request_index_, set, kMostSets);
  requests.bytes_in += r.bytes_in;
  requests.bytes_out += r.bytes_out;
  requests.latencies.record(r.latency, kLatencyBounds);
  if (r.has_lag()) lag_.record(std::max(r.lag, Nanos(0)), kLagBounds);
  if (r.error.empty()) return;
  set.message = known_messages_.get(r.error, [&](std::string_view text) { return messages_.number_of(text); });
  ++entry_of(failures_, failure_index_, set, kMostSets).count;
}

}  // namespace thrum
