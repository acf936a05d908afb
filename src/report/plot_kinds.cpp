#include "report/plot_kinds.hpp"

namespace thrum::report {

std::string without_local_port(std::string_view error) {
  std::string text(error);
  const std::size_t arrow = text.find("->");
  if (arrow == std::string::npos) return text;
  std::size_t digits = arrow;
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  if (digits < arrow && digits > 0 && text[digits - 1] == ':') text.replace(digits, arrow - digits, "*");
  return text;
}

PlotKinds::PlotKinds() : errors_{"", "other errors"} { kinds_.push_back({.code = 200, .succeeded = true}); }

std::uint32_t PlotKinds::count(const Result& result, bool succeeded) {
  const std::uint32_t error = result.error == last_text_ ? last_error_ : number_of(result.error);
  const Kind kind{result.code, error, succeeded};
  if (!(kinds_[last_kind_] == kind)) last_kind_ = find_or_add(kind);
  ++kinds_[last_kind_].results;
  return last_kind_;
}

std::uint32_t PlotKinds::number_of(std::string_view error) {
  last_text_ = error;
  if (error.empty()) return last_error_ = kNoError;
  const std::string text = without_local_port(error);
  if (const auto known = error_index_.find(text); known != error_index_.end()) return last_error_ = known->second;
  if (errors_.size() >= kMostErrors || bytes_ + text.size() > kMostBytes) return last_error_ = kOtherErrors;
  bytes_ += text.size();
  last_error_ = static_cast<std::uint32_t>(errors_.size());
  errors_.push_back(text);
  error_index_.emplace(text, last_error_);
  return last_error_;
}

std::uint32_t PlotKinds::find_or_add(Kind kind) {
  if (kinds_.size() >= kMostKinds && kind.error != kNoError) kind.error = kOtherErrors;  // from here on at most two more a code
  const std::uint64_t key = static_cast<std::uint64_t>(kind.error) << 17 | std::uint64_t{kind.code} << 1 | (kind.succeeded ? 1 : 0);
  const auto [at, is_new] = kind_index_.try_emplace(key, static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) kinds_.push_back(kind);
  return at->second;
}

}  // namespace thrum::report
