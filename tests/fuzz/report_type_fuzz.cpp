// What a user types after -type, -buckets, -percentiles and for codes of success: understood, or one line that says why not.
#include <cstdint>
#include <string>
#include <string_view>

#include "measure/buckets.hpp"
#include "report/type.hpp"
#include "require.hpp"
#include "thrum/metrics.hpp"

using thrum::fuzz::require;

namespace {

template <class T>
bool is_explained(const thrum::Expected<T>& result) {
  if (result) return true;
  const std::string& text = result.error().text;
  return !text.empty() && text.find_first_of("\n\r\x1b") == std::string::npos && text.size() < 1000;
}

}  // namespace

// The text up to the first newline is -type, the rest -buckets.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::string_view first = all.substr(0, all.find('\n')), rest = first.size() < size ? all.substr(first.size() + 1) : "";
  const auto type = thrum::report::parse_type(first, rest);
  require(is_explained(type));
  if (type && !type->buckets.empty()) {
    thrum::BucketCounts counts(type->buckets);
    for (const thrum::Nanos bound : type->buckets) counts.add(bound);
    require(counts.total() == type->buckets.size());
  }
  const auto percentiles = thrum::report::parse_percentiles(first);
  require(is_explained(percentiles));
  if (percentiles)
    for (const double p : *percentiles) require(p >= 0 && p <= 100);
  require(is_explained(thrum::StatusSet::parse(first)));
  require(is_explained(thrum::parse_buckets(rest)));
  return 0;
}
