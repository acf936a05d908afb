#include "http/response_check.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "http/content_coding.hpp"

namespace thrum::http {
namespace {

constexpr std::size_t kKeptRoom = 64 * 1024;  // of a body's memory, from one response to the next

const std::string kTooLong = "expectation: body is longer than the 8 MiB that can be looked into";
const std::string kUnknownCoding = "expectation: body is coded in a way that can't be looked into (gzip and deflate can)";
const std::string kDamaged = "expectation: body is not coded as its Content-Encoding says";
const std::string kNotJson = "expectation: body is not JSON";
const std::string kNoRoom = "client: body not looked into, too many large ones at once";

}  // namespace

void ResponseCheck::begin(const Expectation& expectation, ResponseCapture* next, bool wants_sample) {
  expectation_ = &expectation;
  next_ = next;
  wants_sample_ = wants_sample;
  clear();
}

void ResponseCheck::clear() {
  forget();
  header_met_.assign(expectation_->header.size(), false);
  coding_.clear();
  headers_.clear();
  headers_size_ = 0;
  is_too_long_ = has_no_room_ = false;
}

void ResponseCheck::forget() {
  in_flight_.fetch_sub(std::exchange(charged_, 0), std::memory_order_relaxed);
  body_.clear();
  if (body_.capacity() > kKeptRoom) body_.shrink_to_fit();
}

void ResponseCheck::on_header(std::string_view name, std::string_view value) {
  if (next_ != nullptr) next_->on_header(name, value);
  for (std::size_t i = 0; i < header_met_.size(); ++i)
    if (!header_met_[i]) header_met_[i] = expectation_->header[i].holds(name, value);
  if (equal_ignoring_case(name, "content-encoding")) {
    if (is_coded(coding_)) coding_ += ", ";  // more than one is not known here
    coding_ += value;
  }
  if (!wants_sample_ || headers_size_ + name.size() + value.size() > kSampleHeaders) return;
  headers_size_ += name.size() + value.size();
  headers_.emplace_back(name, value);
}

bool ResponseCheck::wants_body() const {
  if (next_ != nullptr && next_->wants_body()) return true;
  if (expectation_->looks_at_body()) return !is_too_long_ && !has_no_room_;
  return wants_sample_ && body_.size() < kSampleBody;
}

void ResponseCheck::on_body(std::span<const char> bytes) {
  if (next_ != nullptr) next_->on_body(bytes);
  if (!expectation_->looks_at_body()) {
    if (wants_sample_) body_.append(bytes.data(), std::min(bytes.size(), kSampleBody - std::min(kSampleBody, body_.size())));
    return;
  }
  is_too_long_ = is_too_long_ || body_.size() + bytes.size() > kLongestBody;
  if (is_too_long_ || has_no_room_) return;
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (in_flight_.fetch_add(size, std::memory_order_relaxed) + size > kMostInFlight) {
    in_flight_.fetch_sub(size, std::memory_order_relaxed);
    has_no_room_ = true;
    return;
  }
  charged_ += size;
  body_.append(bytes.data(), bytes.size());
}

ResponseCheck::Verdict ResponseCheck::judge(int status, std::uint64_t body_bytes, CheckRoom& room) {
  const Expectation& e = *expectation_;
  if (e.status && !e.status->has(static_cast<std::uint16_t>(status))) return {&e.status_words};
  for (std::size_t i = 0; i < header_met_.size(); ++i)
    if (!header_met_[i]) return {&e.header[i].words()};
  if (e.size && !e.size->holds(body_bytes)) return {&e.size->words()};
  if (!e.looks_at_body()) return {};
  if (has_no_room_) return {&kNoRoom, true};
  return {broken_body(room)};
}

std::string_view ResponseCheck::sample_body(CheckRoom& room) const {
  std::string_view body = body_;
  if (is_coded(coding_)) {
    decode_body(body, coding_, kLongestBody, room.decoded);
    if (!room.decoded.empty()) body = room.decoded;  // as much of it as could be
  }
  return body.substr(0, kSampleBody);
}

const std::string* ResponseCheck::broken_body(CheckRoom& room) {
  if (is_too_long_) return &kTooLong;
  const bool coded = is_coded(coding_) && !body_.empty();
  if (coded) {
    switch (decode_body(body_, coding_, kLongestBody, room.decoded)) {
      case Decoding::done:
        break;
      case Decoding::unknown:
        return &kUnknownCoding;
      case Decoding::damaged:
        return &kDamaged;
      case Decoding::too_long:
        return &kTooLong;
    }
  }
  const std::string& body = coded ? room.decoded : body_;
  for (const BodyRule& rule : expectation_->body)
    if (!rule.holds(body)) return &rule.words();
  if (expectation_->json.empty()) return nullptr;
  if (!read_json(body, expectation_->json_paths, room.values)) return &kNotJson;
  for (std::size_t i = 0; i < room.values.size(); ++i)
    if (!expectation_->json[i].holds(room.values[i])) return &expectation_->json[i].words();
  return nullptr;
}

}  // namespace thrum::http
