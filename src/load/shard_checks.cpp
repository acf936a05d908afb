// What the user expects of responses: held against each that is whole, and what comes of it.
#include "load/shard.hpp"

namespace thrum::load {
namespace {

constexpr Nanos kAfterFailure{1'000'000};  // to the next capture, of those that are spread

}  // namespace

// Exchanges and their checks have one name; a check keeps its memory for the next exchange in that place.
void Shard::begin_check(std::uint32_t index) {
  Exchange& e = exchanges_[index];
  if (checks_.size() <= index) checks_.resize(index + 1);
  auto& check = checks_[index];
  if (check == nullptr) check = std::make_unique<http::ResponseCheck>(plan_.checked_in_flight);
  const http::Expectation& expectation = e.target->expectation != nullptr ? *e.target->expectation : plan_.usual;
  const bool wants_sample =
      plan_.samples_left.load(std::memory_order_relaxed) > 0 || (&expectation != &plan_.usual && !expectation.has_sample());
  check->begin(expectation, e.capture, wants_sample);
  e.check = check.get();
}

// Whether a whole response is a success.
void Shard::judge(std::uint32_t index, const http::Response& response, Record& record) {
  Exchange& e = exchanges_[index];
  const bool is_usual = response.status >= 200 && response.status < 400;
  const http::Expectation* expectation = e.target->expectation.get();
  if (!is_usual && (expectation == nullptr || !expectation->status)) {
    record.outcome = Outcome::bad_status;
    record.reason = own_reason(response.status, response.reason);
    // A sample of the failures is worth more than one of all: the next of them is likely among the next hits.
    if (plan_.options.captures_per_second > 0 && e.capture == nullptr) next_capture_ = std::min(next_capture_, record.end + kAfterFailure);
    if (e.check != nullptr && claim_sample()) keep_sample(e);
    return;
  }
  record.outcome = is_usual ? Outcome::ok : Outcome::expected;
  if (e.check == nullptr) return;
  const auto [broken, is_ours] = e.check->judge(response.status, response.body_bytes, check_room_);
  if (broken == nullptr) return;
  record.outcome = is_ours ? Outcome::client_limit : Outcome::expectation;
  record.reason = broken;
  if (!is_ours && (expectation->claim_sample() || claim_sample())) keep_sample(e);
}

// One of those that the user asked for, of any failure.
bool Shard::claim_sample() {
  return plan_.samples_left.load(std::memory_order_relaxed) > 0 && plan_.samples_left.fetch_sub(1, std::memory_order_relaxed) > 0;
}

// What a response was like that failed, as if the user had asked for its capture.
void Shard::keep_sample(Exchange& e) {
  constexpr auto kMost = static_cast<std::int64_t>(http::ResponseCheck::kSampleBody);
  if (e.capture == nullptr) e.capture = new Capture(false, 0, plan_.captured_in_flight);
  Capture& sample = *e.capture;
  if (!sample.keep_headers) {
    sample.keep_headers = true;
    for (const auto& [name, value] : e.check->headers()) sample.on_header(name, value);
  }
  if (sample.max_body == 0) {
    sample.max_body = kMost;
    sample.on_body(e.check->sample_body(check_room_));
  }
}

}  // namespace thrum::load
