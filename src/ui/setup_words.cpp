// The fields of a setup form as a command line, and from one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "ui/setup_form.hpp"

namespace thrum::ui {
namespace {

using Id = SetupField::Id;
using Kind = SetupField::Kind;

struct FieldFlag {
  Id id;
  Kind kind;
  std::string_view flag;       // by its name; "": it is no flag's
  std::string_view shown;      // in the command line
  std::string_view also = {};  // what errors may call it as well
  std::string_view initial;    //
  std::string_view off = {};   // of a toggle: the flag's value when it is off; `shown` is then the whole word
};

constexpr auto kFields = std::to_array<FieldFlag>({
    {Id::url, Kind::text, "url", "url", "", "a URL; or paste a curl command", ""},
    {Id::method, Kind::method, "method", "m", "m", "GET", ""},
    {Id::body, Kind::text, "data", "d", "d", "none; a text, or @FILE", ""},
    {Id::user_agent, Kind::text, "user-agent", "u", "u", "thrum and its version", ""},
    {Id::by, Kind::choice, "", "", "", "count", ""},
    {Id::count, Kind::digits, "n", "n", "number", "100", ""},
    {Id::time, Kind::text, "duration", "z", "z", "30s", ""},
    {Id::concurrency, Kind::digits, "concurrency", "c", "c", "as many as cores; with a rate: no bound", ""},
    {Id::rate, Kind::text, "rate", "rate", "", "as fast as answers come", ""},
    {Id::warmup, Kind::text, "warmup", "warmup", "", "none", ""},
    {Id::threads, Kind::text, "cpus", "cpus", "threads", "as many as are needed", ""},
    {Id::timeout, Kind::text, "timeout", "t", "t", "20s", ""},
    {Id::redirects, Kind::toggle, "redirects", "-redirects=-1", "", "on", "-1"},
    {Id::keep_alive, Kind::toggle, "keepalive", "-keepalive=false", "", "on", "false"},
    {Id::verify, Kind::toggle, "insecure", "-k", "k", "on", "true"},
    {Id::proxy, Kind::text, "proxy", "x", "x", "as the environment says", ""},
});

bool is_named(const FieldFlag& f, std::string_view flag) {
  return !flag.empty() && (f.flag == flag || (!f.also.empty() && f.also == flag));
}

const FieldFlag* field_flag(std::string_view flag) {
  const auto found = std::ranges::find_if(kFields, [=](const FieldFlag& f) { return is_named(f, flag); });
  return found == kFields.end() ? nullptr : found;
}

const FieldFlag& field_flag(Id id) {
  return *std::ranges::find_if(kFields, [=](const FieldFlag& f) { return f.id == id; });
}

bool is_true(std::string_view value) {
  return value == "true" || value == "1" || value == "t" || value == "T" || value == "TRUE" || value == "True";
}

bool is_off(const FieldFlag& f, std::string_view value) {
  if (f.off == "true") return is_true(value);
  return f.off == "false" ? !is_true(value) : value == f.off;
}

}  // namespace

std::string shell_word(std::string_view word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

SetupForm::SetupForm(const FlagValues& settled, const FlagValues& typed) {
  for (const FieldFlag& f : kFields) {
    SetupField field{.id = f.id, .kind = f.kind, .initial = std::string(f.initial)};
    if (f.kind == Kind::choice || f.kind == Kind::toggle) field.text = f.initial;
    fields_.push_back(std::move(field));
  }
  FlagValues not_here;
  for (const auto& [flag, value] : settled) put(flag, value, true, not_here);
  for (const SetupField& header : headers_) settled_headers_.push_back(header.text);
  // Headers of the command line stand instead of those of a file.
  if (std::ranges::any_of(typed, [](const auto& each) { return each.first == "header"; })) headers_.clear();
  for (const auto& [flag, value] : typed) put(flag, value, false, others_);
  headers_.push_back({.id = Id::header});
  is_touched_ = !typed.empty();
}

void SetupForm::put(const std::string& flag, const std::string& value, bool is_settled, FlagValues& others) {
  if (flag == "header") {
    headers_.push_back({.id = Id::header, .text = value, .caret = value.size()});
    return;
  }
  const FieldFlag* const known = field_flag(flag);
  if (known == nullptr) {
    others.emplace_back(flag, value);
    return;
  }
  SetupField& f = field(known->id);
  if (known->kind == Kind::toggle) {
    // A number of redirects is more than the switch can say.
    if (known->id == Id::redirects && !is_off(*known, value)) others.emplace_back(flag, value);
    f.text = is_off(*known, value) ? "off" : "on";
    if (is_settled) f.initial = f.text, f.is_set = true;
    return;
  }
  if (is_settled) {
    f.initial = value, f.is_set = true;
  } else {
    f.text = value;
    f.caret = value.size();
  }
  SetupField& by = field(Id::by);
  if (f.id == Id::count) by.text = "count";
  if (f.id == Id::time) by.text = "time";
  if (is_settled) by.initial = by.text;
}

std::vector<std::string> SetupForm::header_words() const {
  std::vector<std::string> texts, out;
  for (const SetupField& f : headers_)
    if (!f.text.empty()) texts.push_back(f.text);
  if (texts == settled_headers_) return out;
  for (std::string& text : texts) {
    out.emplace_back("-H");
    out.push_back(std::move(text));
  }
  return out;
}

std::vector<std::string> SetupForm::words() const {
  std::vector<std::string> out;
  const bool by_time = field(Id::by).text == "time", is_turned = field(Id::by).text != field(Id::by).initial;
  for (const SetupField& f : fields_) {
    const FieldFlag& flag = field_flag(f.id);
    if (f.id == Id::body)
      for (std::string& word : header_words()) out.push_back(std::move(word));
    if (f.kind == Kind::choice || f.id == Id::url || f.id == (by_time ? Id::count : Id::time)) continue;
    if (f.kind == Kind::toggle) {
      if (f.text == f.initial) continue;
      if (f.text == "off") out.emplace_back(flag.shown);
      // What a file has switched off is switched on.
      if (f.text == "on")
        out.push_back(fmt::format("-{}={}", flag.flag, f.id == Id::redirects ? "10" : f.id == Id::verify ? "false" : "true"));
      continue;
    }
    const bool ends = f.id == Id::count || f.id == Id::time;
    // What ends the run is said when it isn't what ends it otherwise.
    const std::string& text = f.text.empty() && ends && is_turned ? f.initial : f.text;
    if (text.empty() || (text == f.initial && !(ends && is_turned))) continue;
    out.push_back(fmt::format("-{}", flag.shown));
    out.push_back(text);
  }
  for (const FlagValues* const others : {&others_, &of_request_})
    for (const auto& [flag, value] : *others) out.push_back(fmt::format("-{}={}", flag, value));
  const std::string& url = field(Id::url).text;
  if (url.starts_with('-'))
    out.push_back("-url=" + url);
  else if (!url.empty())
    out.push_back(url);
  return out;
}

std::string SetupForm::command_line() const {
  std::string out = "thrum";
  const auto all = words();
  // Without a URL the command has to be said.
  if (field(Id::url).text.empty()) out += " run";
  for (const std::string& word : all) out += ' ' + shell_word(word);
  return out;
}

void SetupForm::complain(std::string_view error) {
  std::string_view rest = error;
  SetupField* about = nullptr;
  if (rest.starts_with('-')) {
    const std::size_t end = std::min(rest.find_first_of(":= "), rest.size());
    const std::string_view flag = rest.substr(1, end - 1);
    if (flag == "H" || flag == "header" || flag == "headers") {
      // Of several, the one that it quotes; else the last.
      const auto quoted =
          std::ranges::find_if(headers_, [&](const SetupField& f) { return !f.text.empty() && rest.find(f.text) != rest.npos; });
      about = quoted != headers_.end() ? &*quoted : &headers_[headers_.size() < 2 ? 0 : headers_.size() - 2];
    } else if (const FieldFlag* const known = field_flag(flag)) {
      about = &field(known->id);
    }
    if (about != nullptr && rest.substr(end).starts_with(": ")) rest.remove_prefix(end + 2);
  } else if (field(Id::url).text.empty() || error.find("URL") != error.npos || error.find(field(Id::url).text) != error.npos) {
    about = &field(Id::url);
  }
  if (about == nullptr) return say(std::string(error), Tone::bad);
  about->error = rest;
  go_to(about);
  about->caret = about->text.size();
}

void SetupForm::fill(const FlagValues& request) {
  for (const Id id : {Id::url, Id::method, Id::body, Id::user_agent, Id::timeout, Id::proxy}) field(id).text.clear();
  for (const Id id : {Id::redirects, Id::keep_alive, Id::verify}) field(id).text = field(id).initial;
  for (SetupField& f : fields_) f.caret = f.text.size(), f.error.clear();
  headers_.clear();
  of_request_.clear();
  for (const auto& [flag, value] : request) put(flag, value, false, of_request_);
  headers_.push_back({.id = Id::header});
  focus_ = 0;
  is_touched_ = true;
}

}  // namespace thrum::ui
