#include "ui/setup_form.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace thrum::ui {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 20;
constexpr std::array<std::string_view, 7> kMethods{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t before(const std::string& text, std::size_t at) {
  if (at == 0) return 0;
  --at;
  while (at > 0 && continues(text[at])) --at;
  return at;
}

std::size_t behind(const std::string& text, std::size_t at) {
  if (at >= text.size()) return text.size();
  ++at;
  while (at < text.size() && continues(text[at])) ++at;
  return at;
}

// One line: control characters are blanks, and so are those at the ends.
std::string one_line(std::string_view text) {
  std::string out(trim(text));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

// "curl …", "$ curl …", "curl.exe …", with a URL or an option behind it.
bool is_curl(std::string_view text) {
  text = trim(text);
  if (text.starts_with("$ ")) text = trim(text.substr(2));
  const std::size_t end = text.find_first_of(" \t\r\n");
  const std::string word = lower(text.substr(0, end));
  return end != text.npos && (word == "curl" || word == "curl.exe");
}

}  // namespace

// What is shown, in order.
std::vector<SetupField*> SetupForm::visible() {
  std::vector<SetupField*> out;
  const bool by_time = field(Id::by).text == "time";
  for (SetupField& f : fields_) {
    if (f.id == (by_time ? Id::count : Id::time)) continue;
    out.push_back(&f);
    if (f.id == Id::method)
      for (SetupField& header : headers_) out.push_back(&header);
  }
  return out;
}

SetupField& SetupForm::field(Id id) {
  return *std::ranges::find_if(fields_, [=](const SetupField& f) { return f.id == id; });
}
const SetupField& SetupForm::field(Id id) const {
  return *std::ranges::find_if(fields_, [=](const SetupField& f) { return f.id == id; });
}

void SetupForm::go_to(const SetupField* field) {
  const auto all = visible();
  const auto at = std::ranges::find(all, field);
  if (at != all.end()) focus_ = static_cast<std::size_t>(at - all.begin());
}

// A header that was emptied goes, once nobody is in it.
void SetupForm::leave_row() {
  const auto all = visible();
  const SetupField* const here = all[focus_];
  if (here->id != Id::header || here == &headers_.back() || !here->text.empty()) return;
  headers_.erase(headers_.begin() + (here - headers_.data()));
}

void SetupForm::move(int by) {
  const std::size_t count = visible().size();
  leave_row();
  const bool has_lost_one = visible().size() < count;
  const std::size_t now = visible().size();
  if (has_lost_one && by > 0) --by;
  focus_ = (focus_ + now + static_cast<std::size_t>(by + static_cast<int>(now))) % now;
  SetupField& f = *visible()[focus_];
  f.caret = f.text.size();
}

void SetupForm::insert(SetupField& f, std::string_view text) {
  if (f.text.size() + text.size() > kLongestText) return;
  f.text.insert(f.caret, text);
  f.caret += text.size();
}

void SetupForm::turn(SetupField& f, int by) {
  const auto next = [by](std::span<const std::string_view> of, std::string_view now) {
    const auto at = std::ranges::find(of, now);
    const int i = at == of.end() ? 0 : static_cast<int>(at - of.begin()) + by;
    return std::string(of[static_cast<std::size_t>((i + static_cast<int>(of.size())) % static_cast<int>(of.size()))]);
  };
  constexpr std::array<std::string_view, 2> kBy{"count", "time"}, kSwitch{"on", "off"};
  if (f.kind == Kind::method) f.text = next(kMethods, f.text.empty() ? f.initial : f.text);
  if (f.kind == Kind::choice) f.text = next(kBy, f.text);
  if (f.kind == Kind::toggle) f.text = next(kSwitch, f.text);
  // A number of redirects that was typed gives way to the switch.
  if (f.id == Id::redirects)
    for (FlagValues* const others : {&others_, &of_request_})
      std::erase_if(*others, [](const auto& each) { return each.first == "redirects"; });
  f.caret = f.text.size();
}

// Whether the key changed anything in it.
bool SetupForm::edit(SetupField& f, const Key& key) {
  using K = Key::Kind;
  const bool is_typed = f.kind == Kind::text || f.kind == Kind::digits || f.kind == Kind::method;
  const bool turns = f.kind == Kind::choice || f.kind == Kind::toggle || f.kind == Kind::method;
  if (turns && (key.kind == K::left || key.kind == K::right || (key.kind == K::text && key.text == U' ')))
    return turn(f, key.kind == K::left ? -1 : 1), true;
  if (!is_typed) return false;
  switch (key.kind) {
    case K::text: {
      if (f.kind == Kind::digits && (key.text < U'0' || key.text > U'9')) return false;
      // Another method than those offered is typed in their place.
      if (f.kind == Kind::method && std::ranges::find(kMethods, f.text) != kMethods.end()) f.text.clear(), f.caret = 0;
      std::string c;
      append_utf8(c, key.text);
      insert(f, f.kind == Kind::method && c.size() == 1 && c[0] >= 'a' && c[0] <= 'z' ? std::string(1, static_cast<char>(c[0] - 'a' + 'A'))
                                                                                      : c);
      return true;
    }
    case K::left:
      return f.caret = before(f.text, f.caret), false;
    case K::right:
      return f.caret = behind(f.text, f.caret), false;
    case K::home:
      return f.caret = 0, false;
    case K::end:
      return f.caret = f.text.size(), false;
    case K::backspace: {
      const std::size_t from = before(f.text, f.caret);
      f.text.erase(from, f.caret - from);
      f.caret = from;
      return true;
    }
    case K::del:
      f.text.erase(f.caret, behind(f.text, f.caret) - f.caret);
      return true;
    case K::control:
      if (key.text != U'u') return false;
      f.text.clear(), f.caret = 0;
      return true;
    default:
      return false;
  }
}

void SetupForm::paste(const std::string& text) {
  SetupField& f = *visible()[focus_];
  for (const char c : one_line(text)) {
    if (f.kind == Kind::choice || f.kind == Kind::toggle || (f.kind == Kind::digits && (c < '0' || c > '9'))) continue;
    insert(f, {&c, 1});
  }
}

SetupCommand SetupForm::press_in_overlay(const Key& key) {
  using K = Key::Kind;
  if (overlay_ == Overlay::answer && panel_.press(key)) return SetupCommand::none;
  if (overlay_ == Overlay::testing) {
    if (key.kind != K::escape) return SetupCommand::none;
    overlay_ = Overlay::none;
    return SetupCommand::cancel_test;
  }
  // Any other key lets go of it.
  overlay_ = Overlay::none;
  return SetupCommand::none;
}

SetupCommand SetupForm::press(const Key& key) {
  using K = Key::Kind;
  if (key.kind == K::interrupt) return SetupCommand::leave;
  if (overlay_ != Overlay::none) return press_in_overlay(key);
  message_.clear();
  switch (key.kind) {
    case K::escape:
      return SetupCommand::leave;
    case K::enter:
      return SetupCommand::start;
    case K::help:
      overlay_ = Overlay::help;
      return SetupCommand::none;
    case K::up:
    case K::back_tab:
      move(-1);
      return SetupCommand::none;
    case K::down:
    case K::tab:
      move(1);
      return SetupCommand::none;
    case K::control:
      if (key.text == U't') return SetupCommand::test;
      if (key.text == U's') return SetupCommand::save;
      break;
    case K::paste:
      if (is_curl(key.pasted)) {
        pasted_ = key.pasted;
        return SetupCommand::read_curl;
      }
      break;
    default:
      break;
  }
  SetupField& f = *visible()[focus_];
  if (key.kind == K::paste)
    paste(key.pasted);
  else if (!edit(f, key))
    return SetupCommand::none;
  is_touched_ = true;
  f.error.clear();
  if (f.id == Id::header && &f == &headers_.back() && !f.text.empty()) headers_.push_back({.id = Id::header});
  return SetupCommand::none;
}

void SetupForm::say(std::string text, Tone tone) {
  message_ = std::move(text);
  message_tone_ = tone;
}

void SetupForm::begin_test() { overlay_ = Overlay::testing; }

void SetupForm::end_test(std::string title, std::vector<PanelLine> lines) {
  panel_.show(std::move(title), std::move(lines));
  overlay_ = Overlay::answer;
}

}  // namespace thrum::ui
