#include "report/shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "report/entries.hpp"

namespace thrum::report {
namespace {

constexpr std::size_t kWidest = 100;

double part_of(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole); }

std::string row(std::string_view name, const Share& s) {
  return fmt::format("{}\t{}\t{:.2f}%\t{}\t{:.2f}%\n", name, s.part.weight, 100 * s.wanted, s.count, 100 * s.share);
}

}  // namespace

std::string label_of(const TargetPart& part) { return part.name.empty() ? part.method + " " + part.url : part.name; }

ShareSplit::ShareSplit(TargetMix mix) : mix_(std::move(mix)), counts_(mix_.parts.size() + 1) {
  for (const TargetPart& part : mix_.parts) index_.emplace(label_of(part), index_.size());
}

void ShareSplit::add(std::span<const Result> results) {
  for (const Result& r : results) {
    std::string_view key = r.name;
    if (key.empty()) key = ((key_ = r.method) += ' ') += r.url;
    ++counts_[known_.get(key, [&](std::string_view k) {
      const auto at = index_.find(k);
      return at == index_.end() ? mix_.parts.size() : at->second;
    })];
  }
}

ShareTable ShareSplit::table() const {
  ShareTable table{mix_.order, {}, {}, mix_.others};
  std::uint64_t weight = mix_.others_weight;
  for (const TargetPart& part : mix_.parts) weight += part.weight;
  const std::uint64_t all = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  const auto share = [&](TargetPart part, std::uint64_t count) {
    const double wanted = part_of(part.weight, weight);
    return Share{std::move(part), count, wanted, part_of(count, all)};
  };
  for (std::size_t i = 0; i < mix_.parts.size(); ++i) table.rows.push_back(share(mix_.parts[i], counts_[i]));
  table.others = share({{}, {}, {}, mix_.others_weight}, counts_.back());
  return table;
}

std::string share_rows(const ShareTable& table, std::string_view run) {
  std::string out = fmt::format("{}{} ({})\tWeight\tWanted\tSent\tShare\n", entry(Id::targets).label,
                                run.empty() ? "" : " of " + printable(run), table.order);
  for (const Share& s : table.rows) out += row(printable_prefix(label_of(s.part), kWidest), s);
  if (table.others.count > 0 || table.others_count > 0) out += row(fmt::format("({} others)", table.others_count), table.others);
  return out;
}

void share_fields(const ShareTable& table, JsonWriter& w) {
  const auto figures = [&](const Share& s) {
    w.key("weight").unsigned_integer(s.part.weight).key("wanted").number(s.wanted).key("requests").unsigned_integer(s.count);
    w.key("share").number(s.share).end_object();
  };
  w.key("order").string(table.order).key("targets").begin_array();
  for (const Share& s : table.rows) {
    w.begin_object().key("name").string(s.part.name).key("method").string(s.part.method).key("url").string(s.part.url);
    figures(s);
  }
  w.end_array().key("other_targets");
  if (table.others.count == 0 && table.others_count == 0) {
    w.null();
    return;
  }
  w.begin_object().key("targets").unsigned_integer(table.others_count);
  figures(table.others);
}

}  // namespace thrum::report
