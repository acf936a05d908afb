#include "targets/curl_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.hpp"

namespace thrum::targets {
namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::unexpected<Error> bad_field(std::string_view value, std::string_view why) {
  return usage_error(fmt::format("-F \"{}\" of the curl command: {}", printable_prefix(value, 60), why));
}

// What curl takes files to be by their names.
std::string_view type_by_name(std::string_view file) {
  struct Known {
    std::string_view ending, type;
  };
  constexpr auto kKnown = std::to_array<Known>({{".gif", "image/gif"},
                                                {".jpg", "image/jpeg"},
                                                {".jpeg", "image/jpeg"},
                                                {".png", "image/png"},
                                                {".svg", "image/svg+xml"},
                                                {".txt", "text/plain"},
                                                {".htm", "text/html"},
                                                {".html", "text/html"},
                                                {".pdf", "application/pdf"},
                                                {".xml", "application/xml"}});
  for (const Known& known : kKnown)
    if (file.size() >= known.ending.size() && equal_ignoring_case(file.substr(file.size() - known.ending.size()), known.ending))
      return known.type;
  return {};
}

std::string_view base_name(std::string_view file) { return file.substr(std::min(file.rfind('/') + 1, file.size())); }

// Reads a field's value from left to right.
class FieldReader {
 public:
  FieldReader(std::string_view whole, std::string_view value, bool is_file, CurlFiles& files)
      : whole_(whole), value_(value), is_file_(is_file), files_(files) {}

  // What stands before the first parameter.
  Expected<std::string> content() { return word(); }

  Expected<void> parameters(FormField& into) {
    while (at_ < value_.size() && value_[at_] == ';') {
      ++at_;
      skip_spaces();
      if (take("type=")) {
        into.type = type();
      } else if (take("filename=")) {
        auto name = word();
        if (!name) return std::unexpected(std::move(name.error()));
        into.filename = std::move(*name);
      } else if (take("encoder=")) {
        if (auto done = encoder(into); !done) return done;
      } else if (take("headers=")) {
        if (auto done = headers(into); !done) return done;
      } else if (auto passed_over = word(); !passed_over) {
        return std::unexpected(std::move(passed_over.error()));
      }
    }
    if (at_ < value_.size()) return bad_field(whole_, "several files in one field; give each a -F of its own");
    return {};
  }

 private:
  bool ends(char c) const { return c == ';' || (is_file_ && c == ','); }
  void skip_spaces() {
    while (at_ < value_.size() && is_space(value_[at_])) ++at_;
  }
  bool take(std::string_view word) {
    if (!equal_ignoring_case(value_.substr(at_, word.size()), word)) return false;
    at_ += word.size();
    return true;
  }

  // Up to the next parameter, blanks around it taken off; or in quotes, with backslashes before quotes and backslashes.
  Expected<std::string> word() {
    skip_spaces();
    if (at_ < value_.size() && value_[at_] == '"')
      if (auto quoted = quoted_word()) return std::move(*quoted);
    const std::size_t from = at_;
    while (at_ < value_.size() && !ends(value_[at_])) ++at_;
    std::size_t end = at_;
    while (end > from && is_space(value_[end - 1])) --end;
    return std::string(value_.substr(from, end - from));
  }

  // None: the quote is not closed, so it is a character like any other.
  std::optional<std::string> quoted_word() {
    std::string out;
    for (std::size_t at = at_ + 1; at < value_.size(); ++at) {
      char c = value_[at];
      if (c == '"') {
        at_ = at + 1;
        while (at_ < value_.size() && !ends(value_[at_])) ++at_;
        return out;
      }
      if (c == '\\' && at + 1 < value_.size() && (value_[at + 1] == '"' || value_[at + 1] == '\\')) c = value_[++at];
      out += c;
    }
    return std::nullopt;
  }

  // A type has parameters, too: text/plain;charset=utf-8. They end where one begins that is a field's.
  std::string type() {
    const std::size_t from = at_;
    for (;;) {
      while (at_ < value_.size() && !ends(value_[at_])) ++at_;
      if (at_ == value_.size() || value_[at_] != ';') break;
      const std::string_view next = trim(value_.substr(at_ + 1));
      const auto begins = [&](std::string_view word) { return equal_ignoring_case(next.substr(0, word.size()), word); };
      if (begins("type=") || begins("filename=") || begins("encoder=") || begins("headers=")) break;
      ++at_;
    }
    return std::string(trim(value_.substr(from, at_ - from)));
  }

  Expected<void> encoder(FormField& into) {
    auto name = word();
    if (!name) return std::unexpected(std::move(name.error()));
    const std::string known = lower(*name);
    if (known != "binary" && known != "8bit" && known != "7bit")
      return bad_field(whole_, fmt::format("encoder {} is not known here; binary, 8bit and 7bit are", printable_prefix(*name, 20)));
    into.encoder = known;
    return {};
  }

  Expected<void> headers(FormField& into) {
    if (at_ < value_.size() && (value_[at_] == '@' || value_[at_] == '<')) {
      ++at_;
      auto file = word();
      if (!file) return std::unexpected(std::move(file.error()));
      auto text = files_.read(*file, "-F");
      if (!text) return std::unexpected(std::move(text.error()));
      for (std::string_view rest = *text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        if (const std::string_view line = trim(rest.substr(0, end)); !line.empty() && line.front() != '#') into.headers.emplace_back(line);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      return {};
    }
    auto line = word();
    if (!line) return std::unexpected(std::move(line.error()));
    into.headers.push_back(std::move(*line));
    return {};
  }

  std::string_view whole_, value_;
  bool is_file_;
  CurlFiles& files_;
  std::size_t at_ = 0;
};

Expected<std::size_t> find_name(std::string_view value) {
  const std::size_t equals = value.find('=');
  if (equals == value.npos) return bad_field(value, "write name=content, name=@file or name=<file");
  return equals;
}

std::string escape_name(std::string_view name, bool backslashes) {
  std::string out;
  for (const char c : name) {
    if (backslashes && (c == '"' || c == '\\'))
      out += {'\\', c};
    else if (!backslashes && (c == '"' || c == '\r' || c == '\n'))
      out += c == '"' ? "%22" : c == '\r' ? "%0D" : "%0A";
    else
      out += c;
  }
  return out;
}

std::string head_of(const FormField& field, FormStyle style) {
  std::string head = style.is_form ? "Content-Disposition: form-data" : "Content-Disposition: attachment";
  if (!field.name.empty()) head += "; name=\"" + escape_name(field.name, style.backslashes) + "\"";
  if (field.filename) head += "; filename=\"" + escape_name(*field.filename, style.backslashes) + "\"";
  head += "\r\n";
  if (!field.type.empty()) head += "Content-Type: " + field.type + "\r\n";
  if (!field.encoder.empty()) head += "Content-Transfer-Encoding: " + field.encoder + "\r\n";
  for (const std::string& line : field.headers) head += line + "\r\n";
  return head + "\r\n";
}

// Of the bytes themselves (FNV-1a), so that the same form is the same request, and nobody can have written it into them by chance.
std::string boundary_of(std::string_view bytes, std::uint64_t salt) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ salt;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("------------------------{:016x}", hash);
}

}  // namespace

Expected<FormField> read_form_field(std::string_view value, CurlFiles& files) {
  const auto equals = find_name(value);
  if (!equals) return std::unexpected(equals.error());
  FormField field{.name = std::string(value.substr(0, *equals))};
  std::string_view rest = value.substr(*equals + 1);
  if (rest.starts_with('(') || (rest.starts_with(')') && field.name.empty()))
    return bad_field(value, "fields within fields are not known here");
  const char sign = rest.empty() ? '\0' : rest.front();
  const bool is_file = sign == '@' || sign == '<';
  FieldReader reader(value, rest.substr(is_file ? 1 : 0), sign == '@', files);
  auto content = reader.content();
  if (!content) return std::unexpected(std::move(content.error()));
  if (auto rest_read = reader.parameters(field); !rest_read) return std::unexpected(std::move(rest_read.error()));
  if (!is_file) {
    field.content = std::move(*content);
    if (field.type.empty() && field.filename) field.type = type_by_name(*field.filename);
    return field;
  }
  if (sign == '@' && !field.filename) field.filename = std::string(base_name(*content));
  // Text is what a field is anyway.
  if (field.type.empty()) {
    field.type = field.filename ? type_by_name(*field.filename) : std::string_view();
    if (field.type.empty()) field.type = type_by_name(*content);
    if (field.type.empty() && field.filename) field.type = "application/octet-stream";
    if (!field.filename && field.type == "text/plain") field.type.clear();
  }
  auto bytes = files.read(*content, "-F");
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  field.content = std::move(*bytes);
  return field;
}

Expected<FormField> read_form_string(std::string_view value) {
  const auto equals = find_name(value);
  if (!equals) return std::unexpected(equals.error());
  return FormField{.name = std::string(value.substr(0, *equals)), .content = std::string(value.substr(*equals + 1))};
}

FormBody render_form(const std::vector<FormField>& fields, FormStyle style) {
  std::string all;
  for (const FormField& field : fields) all += head_of(field, style) + field.content;
  FormBody form;
  for (std::uint64_t salt = 0; form.boundary.empty() || all.find(form.boundary) != all.npos; ++salt) form.boundary = boundary_of(all, salt);
  for (const FormField& field : fields) {
    form.bytes.append("--").append(form.boundary).append("\r\n").append(head_of(field, style));
    form.bytes.append(field.content).append("\r\n");
  }
  form.bytes.append("--").append(form.boundary).append("--\r\n");
  return form;
}

}  // namespace thrum::targets
