// Any results, split over two runs in any way: every kind of report can be made, holds no byte that a terminal would obey, and
// its figures are those of all results read as one run.
#include <array>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "report/hdr_log.hpp"
#include "report/histogram.hpp"
#include "report/json.hpp"
#include "report/seconds.hpp"
#include "report/text.hpp"
#include "require.hpp"

using thrum::fuzz::require;

namespace {

using thrum::Metrics;
using thrum::Nanos;
using thrum::Result;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  // As many bytes as the first says, so that small and huge values are equally likely.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int n = byte() % 9; n > 0; --n) value = value << 8 | byte();
    return value;
  }
  std::string_view text() {
    const std::size_t n = std::min<std::size_t>(byte() % 20, size_);
    const std::string_view out(reinterpret_cast<const char*>(data_), n);
    data_ += n;
    size_ -= n;
    return out;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

Result result(Bytes& in) {
  // Years 1 to 9999, as results may have.
  constexpr std::int64_t kFirst = -62'135'596'800, kSpan = 315'537'897'600;
  Result r;
  r.timestamp.seconds = kFirst + static_cast<std::int64_t>(in.number() % kSpan);
  r.timestamp.nanos = static_cast<std::int32_t>(in.number() % 1'000'000'000);
  r.timestamp.zone = static_cast<std::int32_t>(in.byte() % 24) * 3600 - 12 * 3600;
  r.latency = Nanos(static_cast<std::int64_t>(in.number()));
  if (in.byte() % 2 == 0) r.lag = Nanos(static_cast<std::int64_t>(in.number()));
  r.code = static_cast<std::uint16_t>(in.number());
  r.outcome = static_cast<thrum::Outcome>(in.byte() % 15);
  r.bytes_in = in.number();
  r.bytes_out = in.number();
  r.retries = in.byte();
  r.error = in.text();
  return r;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes in(data, size);
  thrum::report::Input input;
  std::array<Metrics, 2> parts;
  Metrics whole;
  input.rows.emplace();
  input.buckets.emplace(std::vector{Nanos(0), Nanos(1000), Nanos(1'000'000)});
  thrum::Series series({1'700'000'000, 0, 0});
  std::size_t count = 0;
  while (!in.empty()) {
    const std::size_t part = in.byte() % 2;
    const Result r = result(in);
    parts[part].add({&r, 1});
    whole.add({&r, 1});
    input.rows->record(r.latency);
    input.buckets->add(r.latency);
    series.add(r, thrum::is_success(r, {}));
    ++count;
  }
  input.series = &series;
  for (std::size_t i = 0; i < 2; ++i) {
    parts[i].close();
    input.total.merge(parts[i]);
    input.runs.push_back({"run\x1b" + std::to_string(i), "file", parts[i], {}, {}, {}});
  }
  thrum::report::Plan& plan = input.runs[0].plan.emplace();
  plan.rate = 10;
  plan.asked = *thrum::parse_shape("10");
  plan.start = {1'700'000'000, 0, 0};
  input.percentiles = {0, 12.5, 99.999, 100};

  const thrum::Figures& f = input.total.close();
  const thrum::Figures& g = whole.close();
  require(f.requests == count && g.requests == count);
  require(f.latencies.total == g.latencies.total && f.latencies.max == g.latencies.max && f.latencies.p99 == g.latencies.p99);
  require(f.bytes_in.total == g.bytes_in.total && f.status_codes == g.status_codes && f.errors.size() == g.errors.size());
  require(input.total.succeeded() == whole.succeeded());
  require(f.latencies.p50 <= f.latencies.p90 && f.latencies.p90 <= f.latencies.p95 && f.latencies.p95 <= f.latencies.p99);
  require(f.latencies.p99 <= f.latencies.max || f.latencies.max == Nanos(0));

  for (const std::string& text : {thrum::report::text(input), thrum::report::histogram(input), thrum::report::hdrplot(input),
                                  thrum::report::seconds(input), thrum::report::hdr_log(input)})
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      require(thrum::printable(line) == line);
    }
  if (const auto json = thrum::report::json(input)) require(nlohmann::json::accept(*json));
  input.buckets.reset();
  require(!thrum::report::histogram(input).empty());
  return 0;
}
