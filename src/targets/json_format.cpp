#include "targets/json_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "http/syntax.hpp"
#include "http/url.hpp"
#include "targets/base64.hpp"
#include "targets/header_fault.hpp"
#include "targets/pragma.hpp"

namespace thrum::targets {

Expected<bool> JsonTargets::next(Target& into) {
  if (json_.interrupted()) return false;
  switch (find_object()) {
    case Found::object:
      if (object(into)) {
        ++targets_;
        return true;
      }
      break;
    case Found::end:
      if (targets_ > 0 || json_.interrupted()) return false;
      return failure(fmt::format("{}: no targets: not one object in {} line{}", json_.name(), json_.line(), json_.line() == 1 ? "" : "s"));
    case Found::fault:
      break;
  }
  if (json_.interrupted()) return false;  // what looked wrong was only cut
  return std::unexpected(json_.error());
}

// Stands before the next target's opening brace.
JsonTargets::Found JsonTargets::find_object() {
  for (;;) {
    const int c = json_.peek_between_values();
    if (place_ != Place::between) {
      const Found found = find_array_element(c);
      if (found == Found::end) continue;  // the array's
      return found;
    }
    if (c == JsonReader::kEnd) return json_.failed() ? Found::fault : Found::end;
    if (json_.line() == ended_on_) {
      json_.fault(fmt::format("one target a line, or all in an array: there is more after the first, {}", json_.found()));
      return Found::fault;
    }
    if (c == '{') return Found::object;
    if (c != '[') {
      const std::string found = json_.found();
      const bool is_http = found.size() > 2 && found[1] >= 'A' && found[1] <= 'Z' && found.find("http") != std::string::npos;
      json_.fault(fmt::format("a JSON object was expected, not {}{}", found, is_http ? "; that is the http format (-format=http)" : ""));
      return Found::fault;
    }
    json_.advance();
    place_ = Place::array_start;
  }
}

// In an array: past the comma, or past its end.
JsonTargets::Found JsonTargets::find_array_element(int c) {
  if (c == ']') {
    json_.advance();
    place_ = Place::between;
    ended_on_ = json_.line();
    return Found::end;
  }
  if (place_ == Place::array_next) {
    if (c != ',') {
      json_.fault(fmt::format("\",\" or \"]\" was expected after a target in an array, not {}", json_.found()));
      return Found::fault;
    }
    json_.advance();
    c = json_.peek_between_values();
  }
  if (c == '{') return Found::object;
  json_.fault(fmt::format("a JSON object was expected in the array, not {}", json_.found()));
  return Found::fault;
}

bool JsonTargets::object(Target& into) {
  into.method.clear();
  into.url.clear();
  into.body.reset();
  into.name.clear();
  into.request_target.clear();
  into.weight = 0;
  into.expect = {};
  headers_ = groups_ = 0;
  near_method_.clear();
  near_url_.clear();
  json_.advance();
  if (json_.peek() != '}') {
    for (;;) {
      if (!field(into)) return false;
      const int c = json_.peek();
      if (c == '}') break;
      if (c != ',') return json_.fault(fmt::format("\",\" or \"}}\" was expected after a field, not {}", json_.found()));
      json_.advance();
    }
  }
  json_.advance();
  if (place_ == Place::between)
    ended_on_ = json_.line();
  else
    place_ = Place::array_next;
  return check(into);
}

bool JsonTargets::field(Target& into) {
  std::string_view key;
  if (json_.peek() != '"') return json_.fault(fmt::format("a key in double quotes was expected, not {}", json_.found()));
  if (!json_.string(key)) return false;
  enum class Field : std::uint8_t { method, url, header, body, name, weight, expect, other } field = Field::other;
  if (key == "method")
    field = Field::method;
  else if (key == "url")
    field = Field::url;
  else if (key == "header")
    field = Field::header;
  else if (key == "body")
    field = Field::body;
  else if (key == "name")
    field = Field::name;
  else if (key == "weight")
    field = Field::weight;
  else if (key == "expect")
    field = Field::expect;
  else if (equal_ignoring_case(key, "method"))
    near_method_.assign(key);
  else if (equal_ignoring_case(key, "url"))
    near_url_.assign(key);
  if (json_.peek() != ':') return json_.fault(fmt::format("\":\" was expected after a key, not {}", json_.found()));
  json_.advance();
  const int c = json_.peek();
  if (c == JsonReader::kEnd) return json_.fault("the list ends inside a target");
  if (field == Field::other) return json_.skip_value();
  if (c == 'n') return json_.literal("null");
  switch (field) {
    case Field::method:
      return method(into);
    case Field::url:
      return url(into);
    case Field::header:
      return header(into);
    case Field::body:
      return body(into);
    case Field::name:
      return name(into);
    case Field::weight:
      return weight(into);
    case Field::expect:
      return expect(into);
    case Field::other:
      break;
  }
  return true;
}

bool JsonTargets::method(Target& into) {
  std::string_view text;
  if (json_.peek() != '"') return wrong_type("\"method\"", "a string");
  if (!json_.string(text)) return false;
  into.method.assign(text);
  return true;
}

bool JsonTargets::url(Target& into) {
  std::string_view text;
  if (json_.peek() != '"') return wrong_type("\"url\"", "a string");
  if (!json_.string(text)) return false;
  into.url.assign(text);
  return true;
}

bool JsonTargets::body(Target& into) {
  std::string_view text;
  if (json_.peek() != '"') return wrong_type("\"body\"", "a string, the bytes to send in base64 (jq: body: ({n: 1} | tojson | @base64))");
  if (!json_.string(text)) return false;
  if (const auto wrong = decode_base64(text, body_))
    return json_.fault(fmt::format("\"body\" is not base64 (byte {} of \"{}\"): encode the bytes to send (jq: body: (\"text\" | @base64))",
                                   *wrong + 1, printable_prefix(text, 20)));
  // An empty body is none, as in vegeta: -body may take its place.
  into.body = body_.empty() ? nullptr : std::make_shared<const std::string>(body_);
  return true;
}

bool JsonTargets::name(Target& into) {
  std::string_view text;
  if (json_.peek() != '"') return wrong_type("\"name\"", "a string");
  if (!json_.string(text)) return false;
  into.name.clear();  // the last of several wins
  if (text.empty()) return true;
  if (const auto set = set_name(text, into); !set) return json_.fault(set.error().text);
  return true;
}

bool JsonTargets::weight(Target& into) {
  std::string_view digits;
  if (const int c = json_.peek(); c != '-' && (c < '0' || c > '9')) return wrong_type("\"weight\"", "a number");
  if (!json_.number(digits)) return false;
  into.weight = 0;
  if (const auto set = set_weight(digits, rules_, into); !set) return json_.fault(set.error().text);
  return true;
}

// {"status": 200, "json": [".ok=true", ".n>0"]}: for each thing a text, a number, or a list of them.
bool JsonTargets::expect(Target& into) {
  if (json_.peek() != '{') return wrong_type("\"expect\"", "an object such as {\"status\": 200}");
  into.expect = {};  // the last of several wins
  json_.advance();
  if (json_.peek() == '}') {
    json_.advance();
    return true;
  }
  for (;;) {
    std::string_view what;
    if (json_.peek() != '"') return json_.fault(fmt::format("a key in double quotes was expected, not {}", json_.found()));
    if (!json_.string(what)) return false;
    name_.assign(what);
    if (json_.peek() != ':') return json_.fault(fmt::format("\":\" was expected after a key, not {}", json_.found()));
    json_.advance();
    if (!expect_values(into)) return false;
    const int c = json_.peek();
    if (c != ',' && c != '}') return json_.fault(fmt::format("\",\" or \"}}\" was expected after what to expect, not {}", json_.found()));
    json_.advance();
    if (c == '}') return true;
  }
}

bool JsonTargets::expect_values(Target& into) {
  if (json_.peek() != '[') return expect_value(into);
  json_.advance();
  std::string statuses;  // a list of these is one set
  for (;;) {
    std::string_view text;
    if (name_ == "status") {
      if (!text_or_number(text)) return false;
      (statuses += statuses.empty() ? "" : ",") += text;
    } else if (!expect_value(into)) {
      return false;
    }
    const int c = json_.peek();
    if (c != ',' && c != ']') return json_.fault(fmt::format("\",\" or \"]\" was expected in what to expect, not {}", json_.found()));
    json_.advance();
    if (c == ']') break;
  }
  return statuses.empty() || add_expected(statuses, into);
}

bool JsonTargets::expect_value(Target& into) {
  std::string_view text;
  return text_or_number(text) && add_expected(text, into);
}

bool JsonTargets::text_or_number(std::string_view& text) {
  const int c = json_.peek();
  if (c == '"') return json_.string(text);
  if (c >= '0' && c <= '9') return json_.number(text);
  return wrong_type(fmt::format("\"expect\": \"{}\"", printable_prefix(name_, 40)), "a text, a number or a list of these");
}

bool JsonTargets::add_expected(std::string_view text, Target& into) {
  if (const auto added = add_expectation(name_, text, into.expect); !added) return json_.fault(added.error().text);
  return true;
}

bool JsonTargets::header(Target& into) {
  if (json_.peek() != '{') return wrong_type("\"header\"", "an object such as {\"Name\": [\"value\"]}");
  headers_ = groups_ = 0;  // the last of several wins
  json_.advance();
  if (json_.peek() == '}') {
    json_.advance();
    return true;
  }
  for (;;) {
    std::string_view name;
    if (json_.peek() != '"') return json_.fault(fmt::format("a header name in double quotes was expected, not {}", json_.found()));
    if (!json_.string(name)) return false;
    name_.assign(name);
    if (json_.peek() != ':') return json_.fault(fmt::format("\":\" was expected after a header's name, not {}", json_.found()));
    json_.advance();
    if (!header_values(into)) return false;
    const int c = json_.peek();
    if (c != ',' && c != '}') return json_.fault(fmt::format("\",\" or \"}}\" was expected after a header, not {}", json_.found()));
    json_.advance();
    if (c == '}') return true;
  }
}

// A list of strings, or a string alone; null is no value.
bool JsonTargets::header_values(Target& into) {
  ++groups_;
  std::string_view value;
  const int first = json_.peek();
  if (first == 'n') return json_.literal("null");
  if (first == '"') return json_.string(value) && add_header(into, value);
  if (first != '[') return wrong_header_value();
  json_.advance();
  if (json_.peek() == ']') {
    json_.advance();
    return true;
  }
  for (;;) {
    if (json_.peek() != '"') return wrong_header_value();
    if (!json_.string(value) || !add_header(into, value)) return false;
    const int c = json_.peek();
    if (c != ',' && c != ']') return json_.fault(fmt::format("\",\" or \"]\" was expected after a header's value, not {}", json_.found()));
    json_.advance();
    if (c == ']') return true;
  }
}

bool JsonTargets::add_header(Target& into, std::string_view value) {
  value = http::trim_blanks(value);
  if (const std::string wrong = header_fault(name_, value); !wrong.empty()) return json_.fault(wrong);
  if (headers_ == into.headers.size()) into.headers.emplace_back();
  if (headers_ == group_.size()) group_.emplace_back();
  group_[headers_] = groups_;
  auto& header = into.headers[headers_++];
  header.first.assign(name_);
  header.second.assign(value);
  return true;
}

// The object is read; is it a target?
bool JsonTargets::check(Target& into) {
  into.headers.resize(headers_);
  if (groups_ > 1) keep_last_of_each_name(into);
  if (into.method.empty()) return missing("method", near_method_);
  if (into.url.empty()) return missing("url", near_url_);
  if (!http::is_token(into.method))
    return json_.fault(fmt::format("\"method\" is \"{}\", which is no method's name", printable_prefix(into.method, 40)));
  if (auto url = http::parse_url(into.url); !url) return json_.fault(url.error().text);
  return true;
}

// A name given by two keys of one object: JSON readers, vegeta's among them, let the last one stand.
void JsonTargets::keep_last_of_each_name(Target& into) {
  auto& headers = into.headers;
  auto& order = order_;
  order.resize(headers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(std::string_view(headers[i].first), i); });
  bool any = false;
  // From each name's last header backwards; what another key brought before it is marked by an emptied name.
  for (std::size_t i = order.size(); i-- > 1;) {
    const std::uint32_t last = order[i];
    for (; i > 0 && headers[order[i - 1]].first == headers[last].first; --i) {
      if (group_[order[i - 1]] == group_[last]) continue;
      group_[order[i - 1]] = 0;
      any = true;
    }
  }
  if (!any) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (group_[i] == 0) continue;
    if (kept != i) headers[kept] = std::move(headers[i]);
    ++kept;
  }
  headers.resize(kept);
}

bool JsonTargets::wrong_type(std::string_view field, std::string_view right) {
  return json_.fault(fmt::format("{} must be {}, not {}", field, right, json_.found()));
}

bool JsonTargets::wrong_header_value() {
  return wrong_type(fmt::format("header \"{}\"", printable_prefix(name_, 40)), "a string or a list of strings");
}

bool JsonTargets::missing(std::string_view field, std::string_view near) {
  if (!near.empty())
    return json_.fault(fmt::format("a target without \"{}\" (keys are in small letters: \"{}\" is another)", field, printable(near)));
  return json_.fault(fmt::format("a target without \"{}\"", field));
}

}  // namespace thrum::targets
