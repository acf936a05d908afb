#include "targets/curl_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "targets/curl_asked.hpp"

namespace thrum::targets {
namespace {

constexpr std::size_t kLongestCommand = std::size_t{16} << 20;

// "curl", "/usr/bin/curl", "curl.exe".
bool is_curl(std::string_view word) {
  word = word.substr(std::min(word.find_last_of("/\\") + 1, word.size()));
  return equal_ignoring_case(word, "curl") || equal_ignoring_case(word, "curl.exe");
}

// Takes a command's options one by one.
class CurlReader {
 public:
  CurlReader(std::span<const std::string> words, CurlFiles files) : words_(words) { asked_.files = files; }

  void note(std::string text) { asked_.note(std::move(text)); }

  Expected<CurlCommand> read() && {
    if (at_ < words_.size() && words_[at_] == "$") ++at_;  // the prompt of documentation
    if (at_ < words_.size() && is_curl(words_[at_])) ++at_;
    bool takes_options = true;
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      Expected<void> done;
      if (!takes_options || word.size() < 2 || word.front() != '-')
        done = url(word);
      else if (word == "--")
        takes_options = false;
      else if (word[1] == '-')
        done = long_option(word);
      else
        done = letters(word);
      if (!done) return std::unexpected(std::move(done.error()));
    }
    return make_curl_command(std::move(asked_));
  }

 private:
  Expected<void> url(std::string_view word) {
    if (asked_.url)
      return usage_error(fmt::format("the curl command has more than one URL: \"{}\" and \"{}\"; quote what belongs together",
                                     printable_prefix(*asked_.url, 80), printable_prefix(word, 80)));
    asked_.url = word;
    return {};
  }

  Expected<void> long_option(std::string_view word) {
    const std::string_view name = word.substr(2);
    const CurlOption* option = curl_option(name);
    const bool is_negated = option == nullptr && name.starts_with("no-");
    if (is_negated) option = curl_option(name.substr(3));
    if (option == nullptr || (is_negated && option->takes)) {
      const std::string near = nearest_curl_option(name);
      return usage_error(fmt::format("the curl command has {}, which is no option of curl that is known here{}", printable_prefix(word, 60),
                                     near.empty() ? "" : fmt::format("; did you mean --{}?", near)));
    }
    if (!option->takes) return take(*option, word, is_negated ? "false" : "true");
    return take_next(*option, word);
  }

  // -sSLk, -XPOST
  Expected<void> letters(std::string_view word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string shown = fmt::format("-{}", word[i]);
      const CurlOption* const option = curl_option(word[i]);
      if (option == nullptr)
        return usage_error(
            fmt::format("the curl command has {}, and {} is no option of curl", printable_prefix(word, 60), printable(shown)));
      if (option->takes) return i + 1 < word.size() ? take(*option, shown, word.substr(i + 1)) : take_next(*option, shown);
      if (auto done = take(*option, shown, "true"); !done) return done;
    }
    return {};
  }

  Expected<void> take_next(const CurlOption& option, std::string_view shown) {
    if (at_ == words_.size()) return usage_error(fmt::format("{} at the end of the curl command needs a value", shown));
    return take(option, shown, words_[at_++]);
  }

  Expected<void> take(const CurlOption& option, std::string_view shown, std::string_view value);
  Expected<void> header(std::string_view shown, std::string_view value);
  void header_line(std::string_view line);
  Expected<void> data(CurlAct act, std::string_view shown, std::string_view value);
  Expected<void> form(CurlAct act, std::string_view value);
  Expected<void> url_query(std::string_view shown, std::string_view value);
  void cookie(std::string_view shown, std::string_view value);
  void referer(std::string_view shown, std::string_view value);
  void range(CurlAct act, std::string_view shown, std::string_view value);

  std::span<const std::string> words_;
  std::size_t at_ = 0;
  CurlAsked asked_;
};

Expected<void> CurlReader::take(const CurlOption& option, std::string_view shown, std::string_view value) {
  const bool is_on = value == "true";
  switch (option.act) {
    case CurlAct::pass:
      break;
    case CurlAct::note:
    case CurlAct::other_auth:
      if (!option.takes && !is_on) break;
      asked_.has_other_auth = asked_.has_other_auth || option.act == CurlAct::other_auth;
      note(fmt::format("{}: {}", shown, option.why));
      break;
    case CurlAct::refuse:
      return usage_error(fmt::format("the curl command has {}: {}", shown, option.why));
    case CurlAct::url:
      return url(value);
    case CurlAct::method:
      asked_.method = value;
      break;
    case CurlAct::head:
      asked_.head = is_on;
      break;
    case CurlAct::get:
      asked_.get = is_on;
      break;
    case CurlAct::data:
    case CurlAct::data_raw:
    case CurlAct::data_binary:
    case CurlAct::data_urlencode:
    case CurlAct::json:
      return data(option.act, shown, value);
    case CurlAct::form:
    case CurlAct::form_string:
      return form(option.act, value);
    case CurlAct::form_escape:
      asked_.form_escape = is_on;
      break;
    case CurlAct::upload:
      asked_.upload = value;
      break;
    case CurlAct::url_query:
      return url_query(shown, value);
    case CurlAct::request_target:
      asked_.request_target = value;
      break;
    case CurlAct::path_as_is:
      asked_.rules.path_as_is = is_on;
      break;
    case CurlAct::globoff:
      asked_.rules.globoff = is_on;
      break;
    case CurlAct::proto_default:
      asked_.rules.scheme = value;
      break;
    case CurlAct::header:
      return header(shown, value);
    case CurlAct::user:
      asked_.user = value;
      break;
    case CurlAct::bearer:
      asked_.bearer = value;
      break;
    case CurlAct::basic:
      asked_.has_other_auth = asked_.has_other_auth && !is_on;
      break;
    case CurlAct::cookie:
      cookie(shown, value);
      break;
    case CurlAct::user_agent:
      asked_.user_agent = value;
      break;
    case CurlAct::referer:
      referer(shown, value);
      break;
    case CurlAct::range:
    case CurlAct::continue_at:
      range(option.act, shown, value);
      break;
    case CurlAct::compressed:
      asked_.compressed = is_on;
      break;
    case CurlAct::proxy_user:
      asked_.proxy_user = value;
      break;
    default:
      return read_curl_setting(option.act, shown, value, asked_.settings, asked_.notes);
  }
  return {};
}

Expected<void> CurlReader::header(std::string_view shown, std::string_view value) {
  if (!value.starts_with('@')) {
    header_line(value);
    return {};
  }
  auto text = asked_.files.read(value.substr(1), shown);
  if (!text) return std::unexpected(std::move(text.error()));
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && line.front() != '#') header_line(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

// "Name: value"; "Name;" has an empty value; "Name:" takes a header of curl's own away.
void CurlReader::header_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon != line.npos) {
    const std::string_view value = trim(line.substr(colon + 1));
    asked_.headers.push_back({std::string(line.substr(0, colon)), std::string(value), value.empty()});
  } else if (const std::string_view name = trim(line); name.ends_with(';') && name.find(';') == name.size() - 1) {
    asked_.headers.push_back({std::string(name.substr(0, name.size() - 1)), {}, false});
  } else {
    note(fmt::format("-H \"{}\" has no colon, and curl sends nothing for it", printable_prefix(line, 60)));
  }
}

Expected<void> CurlReader::data(CurlAct act, std::string_view shown, std::string_view value) {
  auto more = read_curl_data(act, shown, value, asked_.files);
  if (!more) return std::unexpected(std::move(more.error()));
  add_curl_data(asked_.data, asked_.has_data, act, *more);
  asked_.is_json = asked_.is_json || act == CurlAct::json;
  return {};
}

Expected<void> CurlReader::form(CurlAct act, std::string_view value) {
  auto field = act == CurlAct::form ? read_form_field(value, asked_.files) : read_form_string(value);
  if (!field) return std::unexpected(std::move(field.error()));
  asked_.form.push_back(std::move(*field));
  return {};
}

// As --data-urlencode, but what begins with a plus is there as it is.
Expected<void> CurlReader::url_query(std::string_view shown, std::string_view value) {
  auto more = value.starts_with('+') ? Expected<std::string>(value.substr(1)) : escape_curl_data(shown, value, asked_.files);
  if (!more) return std::unexpected(std::move(more.error()));
  add_curl_data(asked_.url_query, asked_.has_url_query, CurlAct::url_query, *more);
  return {};
}

void CurlReader::cookie(std::string_view shown, std::string_view value) {
  if (value.empty()) return;
  if (value.find('=') != value.npos)
    asked_.cookies.emplace_back(value);
  else
    note(fmt::format("{} {}: a file of cookies is not read, and none is kept from one request to the next", shown,
                     printable_prefix(value, 60)));
}

void CurlReader::referer(std::string_view shown, std::string_view value) {
  const std::size_t automatic = value.find(";auto");
  asked_.referer = value.substr(0, automatic);
  if (automatic != value.npos) note(fmt::format("{}: after a redirect the referrer is the page before it in any case", shown));
}

void CurlReader::range(CurlAct act, std::string_view shown, std::string_view value) {
  if (act == CurlAct::continue_at && value == "-") {
    note(fmt::format("{} -: there is no file that could be continued", shown));
    return;
  }
  asked_.range = value;
  if (value.find('-') == value.npos) asked_.range += '-';
}

Expected<CurlCommand> read_words(std::span<const std::string> words, CurlFiles files, std::vector<std::string> notes = {}) {
  CurlReader reader(words, files);
  for (std::string& each : notes) reader.note(std::move(each));
  return std::move(reader).read();
}

}  // namespace

Expected<CurlCommand> read_curl_text(std::string_view text, Shell shell, CurlFiles files) {
  if (text.size() > kLongestCommand)
    return usage_error("the curl command is longer than 16 MiB; put its body into a file: --data-binary @FILE");
  auto split = split_words(text, shell);
  if (!split) return std::unexpected(std::move(split.error()));
  std::vector<std::string> notes;
  if (!split->left_as_is.empty())
    notes.push_back(
        fmt::format("{} is sent as it is written: no shell has put in what it stands for", printable_prefix(split->left_as_is, 40)));
  if (!split->behind.empty())
    notes.push_back(fmt::format("left out, as it is no part of the command: {}", printable_prefix(split->behind, 60)));
  return read_words(split->words, files, std::move(notes));
}

Expected<CurlCommand> read_curl_words(std::span<const std::string> words) { return read_words(words, CurlFiles()); }

Expected<CurlCommand> read_curl_text(std::string_view text, Shell shell) { return read_curl_text(text, shell, CurlFiles()); }

Expected<CurlCommand> read_curl_text(std::string_view text) { return read_curl_text(text, guess_shell(text)); }

Expected<CurlCommand> read_curl(std::span<const std::string> arguments) {
  if (arguments.size() > 1) return read_curl_words(arguments);
  const bool is_file = !arguments.empty() && arguments[0].starts_with('@');
  if (!arguments.empty() && !is_file)
    return arguments[0].find_first_of(" \t\r\n") == std::string::npos ? read_curl_words(arguments) : read_curl_text(arguments[0]);
  const std::string file = is_file ? arguments[0].substr(1) : "-";
  CurlFiles files;
  auto text = files.read(file, "-curl");
  if (!text) return std::unexpected(std::move(text.error()));
  return read_curl_text(*text, guess_shell(*text), files);
}

}  // namespace thrum::targets
