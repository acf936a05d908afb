#include "measure/failure_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace thrum {

void FailureCauses::add(const Result& result) {
  // A whole response that doesn't count as success may have no words of its own: a redirect that wasn't followed.
  Cause* cause = find_or_add(result.error, result.error.empty() ? result.code : std::uint16_t{0});
  if (cause == nullptr) {
    ++others_;
    return;
  }
  ++cause->count;
  if (cause->status == 0) cause->status = result.code;
  if (cause->body.empty() && result.body) cause->body = result.body->substr(0, kBodyKept);
}

FailureCauses::Cause* FailureCauses::find_or_add(std::string_view text, std::uint16_t status) {
  const auto fits = [&](const Cause& c) { return text.empty() ? c.status == status && c.text.starts_with("status ") : c.text == text; };
  // The cause of this failure is very often that of the last one.
  if (last_ < causes_.size() && fits(causes_[last_])) return &causes_[last_];
  const auto known = std::ranges::find_if(causes_, fits);
  last_ = static_cast<std::size_t>(known - causes_.begin());
  if (known != causes_.end()) return &*known;
  if (causes_.size() == kMostCauses) return nullptr;
  causes_.push_back({text.empty() ? fmt::format("status {}", status) : std::string(text), status, 0});
  return &causes_.back();
}

void FailureCauses::merge(const FailureCauses& other) {
  others_ += other.others_;
  for (const Cause& theirs : other.causes_) {
    Cause* ours = find_or_add(theirs.text, theirs.status);
    if (ours == nullptr) {
      others_ += theirs.count;
      continue;
    }
    ours->count += theirs.count;
    if (ours->status == 0) ours->status = theirs.status;
    if (ours->body.empty()) ours->body = theirs.body;
  }
}

std::vector<FailureCauses::Cause> FailureCauses::by_count() const {
  std::vector<Cause> causes = causes_;
  std::ranges::stable_sort(causes, std::greater<>(), &Cause::count);
  return causes;
}

}  // namespace thrum
