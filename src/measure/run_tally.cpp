#include "measure/run_tally.hpp"

#include <algorithm>
#include <functional>

namespace thrum {

void Slowest::insert(const One& one) {
  const auto before = std::ranges::upper_bound(kept_, one.latency, std::greater<>(), &One::latency);
  kept_.insert(before, one);
  if (kept_.size() > kKept) kept_.pop_back();
}

void RunTally::add(std::span<const Result> results) {
  while (!results.empty()) {
    const auto is_cut = [](const Result& r) { return r.outcome == Outcome::cut; };
    const auto end = std::ranges::find_if(results, is_cut);
    const auto whole = results.first(static_cast<std::size_t>(end - results.begin()));
    if (!whole.empty()) add_whole(whole);
    results = results.subspan(std::min(results.size(), whole.size() + 1));
  }
}

void RunTally::add_whole(std::span<const Result> results) {
  metrics_.add(results);
  peaks_.add(results);
  for (const Result& r : results) {
    const bool is_good = is_success(r, judging_.success);
    const Nanos latency = r.latency_by(judging_.clock), sent = r.timestamp.since(started_);
    RunSecond& second = second_of((sent + r.latency).count() / 1'000'000'000);
    ++(is_good ? second.ok : second.failed);
    second.bytes += r.bytes_in;
    second.latencies.record(latency);
    if (r.code != 0) slowest_.add({sent, latency, r.code});
    if (!is_good) {
      causes_.add(r);
      timeouts_ += r.outcome == Outcome::timeout;
      http_errors_ += r.code != 0;
    }
    add_phases(r);
    if (is_watched_) show(r, is_good, latency, sent + r.latency);
  }
}

// For who watches: the codes and causes of all, and the latest of what may be many.
void RunTally::show(const Result& r, bool is_good, Nanos latency, Nanos ended) {
  if (r.code != 0) ++block_.codes[r.code];
  if (!is_good) block_.causes.add(r);
  Nanos opening{0};
  for (const Nanos part : {r.dns, r.connect, r.tls})
    if (part != Result::kNone) opening += part;
  if (r.connect != Result::kNone) block_.connects.record(opening);
  const bool has_first_byte = r.first_byte != Result::kNone;
  if (has_first_byte) {
    block_.first_bytes.record(std::max(Nanos(0), r.first_byte - opening));
    block_.downloads.record(r.latency - r.first_byte);
  }
  auto& list = is_good ? block_.recent : block_.failures;
  RecentResult one{r.seq,   ended,      latency, r.latency, has_first_byte ? r.first_byte : Nanos(0),
                   opening, r.bytes_in, r.code,  is_good,   std::string(r.error)};
  if (r.body || r.has_headers) {
    auto kept = std::make_shared<KeptResponse>();
    for (const Header& h : r.headers) kept->headers.emplace_back(h.name, h.value);
    if (r.body) kept->body = *r.body;
    one.kept = std::move(kept);
  }
  // The first ones, those that are whole, and then always the last.
  if (list.size() < RunBlock::kMostRecent || (one.kept && list.size() < RunBlock::kMostKept))
    list.push_back(std::move(one));
  else if (!list.back().kept)
    list.back() = std::move(one);
}

void RunTally::add_phases(const Result& r) {
  Nanos opening{0};
  for (const Nanos part : {r.dns, r.connect, r.tls})
    if (part != Result::kNone) opening += part;
  const bool opened = r.connect != Result::kNone;
  if (opened) connects_.record(opening);
  if (r.first_byte != Result::kNone) first_bytes_.record(std::max(Nanos(0), r.first_byte - opening));
}

RunSecond& RunTally::second_of(std::int64_t at) {
  at = std::max<std::int64_t>(0, at);
  const auto known = std::ranges::find(block_.seconds, at, &RunSecond::at);
  return known != block_.seconds.end() ? *known : block_.seconds.emplace_back(RunSecond{.at = at});
}

void RunTally::merge(const RunTally& other) {
  metrics_.merge(other.metrics_);
  peaks_.merge(other.peaks_);
  causes_.merge(other.causes_);
  slowest_.merge(other.slowest_);
  connects_.merge(other.connects_);
  first_bytes_.merge(other.first_bytes_);
  timeouts_ += other.timeouts_;
  http_errors_ += other.http_errors_;
  for (const RunSecond& s : other.block_.seconds) second_of(s.at).merge(s);
}

}  // namespace thrum
