#include "report/type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.hpp"
#include "measure/buckets.hpp"

namespace thrum::report {

Expected<Type> parse_type(std::string_view text, std::string_view buckets) {
  constexpr std::string_view kHistogram = "hist";
  if (text.starts_with(kHistogram)) {
    Type type{Kind::histogram, {}};
    const std::string_view bounds = buckets.empty() ? text.substr(kHistogram.size()) : buckets;
    if (text != kHistogram && text[kHistogram.size()] != '[')
      return usage_error(fmt::format("unknown report type \"{}\": a histogram is hist or hist[0,5ms,1s]", printable_prefix(text, 60)));
    if (bounds.empty()) return type;
    Expected<std::vector<Nanos>> parsed = parse_buckets(bounds);
    if (!parsed) return std::unexpected(parsed.error());
    type.buckets = std::move(*parsed);
    return type;
  }
  constexpr std::array<std::pair<std::string_view, Kind>, 5> kNames{
      {{"text", Kind::text}, {"json", Kind::json}, {"hdrplot", Kind::hdrplot}, {"hdrlog", Kind::hdrlog}, {"csv", Kind::seconds}}};
  for (const auto& [name, kind] : kNames) {
    if (text != name) continue;
    Type type{kind, {}};
    if (kind != Kind::json || buckets.empty()) return type;
    Expected<std::vector<Nanos>> parsed = parse_buckets(buckets);
    if (!parsed) return std::unexpected(parsed.error());
    type.buckets = std::move(*parsed);
    return type;
  }
  return usage_error(fmt::format("unknown report type \"{}\": there are text, json, hist, hist[0,5ms,1s], hdrplot, hdrlog and csv",
                                 printable_prefix(text, 60)));
}

Expected<std::vector<double>> parse_percentiles(std::string_view text) {
  std::vector<double> out;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    std::string_view part = trim(rest.substr(0, comma));
    if (part.ends_with('%')) part = trim(part.substr(0, part.size() - 1));
    double value = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value, std::chars_format::fixed);
    if (error != std::errc() || end != part.data() + part.size() || !(value >= 0 && value <= 100))
      return usage_error(fmt::format("bad percentiles \"{}\": \"{}\" is not a number from 0 to 100; write them like 50,99,99.9",
                                     printable_prefix(text, 60), printable_prefix(part, 20)));
    if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(value);
    if (comma == rest.npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace thrum::report
