// One response, held against what is expected of it. Takes in what comes of it as a capture does, and hands it on to the capture
// that somebody else may have asked for. Belongs to one exchange at a time; keeps its memory for the next.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/expectation.hpp"
#include "http/json_body.hpp"
#include "http/response_parser.hpp"

namespace thrum::http {

// What checks of one thread share.
struct CheckRoom {
  std::string decoded;
  std::vector<JsonValue> values;
};

class ResponseCheck final : public ResponseCapture {
 public:
  static constexpr std::size_t kLongestBody = std::size_t{8} << 20;       // that can be looked into, decoded or not
  static constexpr std::int64_t kMostInFlight = std::int64_t{256} << 20;  // bytes of bodies that wait for their end, of all checks together
  static constexpr std::size_t kSampleBody = 4096, kSampleHeaders = 16 * 1024;

  explicit ResponseCheck(std::atomic<std::int64_t>& in_flight) : in_flight_(in_flight) {}
  ~ResponseCheck() override { forget(); }
  ResponseCheck(const ResponseCheck&) = delete;
  ResponseCheck& operator=(const ResponseCheck&) = delete;

  // Before each response. `expectation` lives until the check is over; `next` may be null.
  // `wants_sample`: that of this expectation, or of a failure of any kind, is still to be kept.
  void begin(const Expectation& expectation, ResponseCapture* next, bool wants_sample);
  // What came so far is of no matter: another response will come in its place.
  void clear();

  void on_header(std::string_view name, std::string_view value) override;
  void on_body(std::span<const char> bytes) override;
  bool wants_body() const override;

  struct Verdict {
    const std::string* broken = nullptr;  // the words for what was not met, which live with the expectation or for ever; null: all was
    bool is_ours = false;                 // it could not be told, for want of our own memory
  };
  // The response is whole.
  Verdict judge(int status, std::uint64_t body_bytes, CheckRoom& room);

  // For the sample: the headers as they came, the body's beginning as it was before it was coded.
  const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }
  std::string_view sample_body(CheckRoom& room) const;

 private:
  const std::string* broken_body(CheckRoom& room);
  void forget();

  std::atomic<std::int64_t>& in_flight_;
  const Expectation* expectation_ = nullptr;
  ResponseCapture* next_ = nullptr;
  bool wants_sample_ = false;
  std::vector<bool> header_met_;
  std::string coding_;  // Content-Encoding
  std::string body_;
  std::vector<std::pair<std::string, std::string>> headers_;  // for the sample
  std::size_t headers_size_ = 0;
  std::int64_t charged_ = 0;
  bool is_too_long_ = false;
  bool has_no_room_ = false;
};

}  // namespace thrum::http
