#include "http/expectation.hpp"

#include <fmt/format.h>

#include <array>

#include "base/text.hpp"

namespace thrum {

Expected<void> add_expectation(std::string_view what, std::string_view text, Expectations& to) {
  const std::string value(trim(text));
  if (value.empty()) return usage_error(fmt::format("nothing is said of the {} to expect", printable_prefix(what, 40)));
  Expectations one;
  if (what == "status") {
    if (!to.status.empty()) return usage_error("one set of statuses is expected: this is a second; join them with commas, like 200,404");
    one.status = value;
  } else if (what == "size") {
    if (!to.size.empty()) return usage_error("one size is expected: this is a second; say a range, like 100-200");
    one.size = value;
  } else if (what == "header") {
    one.header.push_back(value);
  } else if (what == "body") {
    one.body.emplace_back(text);
  } else if (what == "json") {
    one.json.push_back(value);
  } else {
    static const std::vector<std::string> kWhat{"status", "header", "size", "body", "json"};
    const std::string near = nearest(what, kWhat);
    return usage_error(
        fmt::format("\"{}\" can't be expected{}", printable_prefix(what, 40),
                    near.empty() ? fmt::format("; there are {}", fmt::join(kWhat, ", ")) : fmt::format("; did you mean \"{}\"?", near)));
  }
  if (auto fine = http::Expectation::make(one); !fine) return std::unexpected(fine.error());
  to = combined(to, one);
  return {};
}

Expectations combined(const Expectations& attack, const Expectations& target) {
  Expectations all = attack;
  if (!target.status.empty()) all.status = target.status;
  if (!target.size.empty()) all.size = target.size;
  const auto append = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(all.header, target.header);
  append(all.body, target.body);
  append(all.json, target.json);
  return all;
}

namespace http {
namespace {

template <class Rule>
Expected<void> make_rules(const std::vector<std::string>& texts, std::vector<Rule>& into) {
  for (const std::string& text : texts) {
    auto rule = Rule::make(text);
    if (!rule) return std::unexpected(rule.error());
    into.push_back(std::move(*rule));
  }
  return {};
}

}  // namespace

Expected<std::shared_ptr<const Expectation>> Expectation::make(const Expectations& said) {
  if (said.empty()) return std::shared_ptr<const Expectation>();
  auto made = std::make_shared<Expectation>();
  if (!said.status.empty()) {
    auto status = StatusSet::parse(said.status);
    if (!status) return std::unexpected(status.error());
    made->status = *status;
    made->status_words = fmt::format("expectation: status is not {}", printable_prefix(said.status, 80));
  }
  if (!said.size.empty()) {
    auto size = SizeRule::make(said.size);
    if (!size) return std::unexpected(size.error());
    made->size = std::move(*size);
  }
  if (auto ok = make_rules(said.header, made->header); !ok) return std::unexpected(ok.error());
  if (auto ok = make_rules(said.body, made->body); !ok) return std::unexpected(ok.error());
  if (auto ok = make_rules(said.json, made->json); !ok) return std::unexpected(ok.error());
  for (const JsonRule& rule : made->json) made->json_paths.push_back(&rule.path());
  return made;
}

}  // namespace http
}  // namespace thrum
