// The form by which a run is set up: its fields, the command line that they make, and how both are drawn. Pure: keys turn it, what is
// asked of others comes back as a command, and whether a value is any good is said by who reads command lines.
//
// A field that is left empty says nothing: what holds then (a file's setting, the default) stands there quietly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/grid.hpp"
#include "ui/keys.hpp"
#include "ui/text_panel.hpp"

namespace thrum::ui {

// Flags and values, as from a command line: {"header", "Accept: text/html"}.
using FlagValues = std::vector<std::pair<std::string, std::string>>;

struct SetupField {
  enum class Id : std::uint8_t {
    url,
    method,
    header,  // one of several
    body,
    user_agent,
    by,
    count,
    time,
    concurrency,
    rate,
    warmup,
    threads,
    timeout,
    redirects,
    keep_alive,
    verify,
    proxy
  };
  enum class Kind : std::uint8_t { text, digits, method, choice, toggle };
  Id id = Id::url;
  Kind kind = Kind::text;
  std::string text{};     // of a choice: which; of a toggle: "on" or "off"
  std::string initial{};  // what holds while nothing is typed; of a choice and a toggle: what it was
  bool is_set = false;    // by a file or a variable: `initial` is more than the default
  std::size_t caret = 0;
  std::string error{};
};

enum class SetupCommand : std::uint8_t { none, start, test, cancel_test, save, read_curl, leave };

class SetupForm {
 public:
  static constexpr int kLeastWidth = 60, kLeastHeight = 18, kWidthForCards = 100;

  // `settled`: what a file and the environment say; `typed`: what the command line does.
  SetupForm(const FlagValues& settled, const FlagValues& typed);

  void draw(Grid& grid);
  SetupCommand press(const Key& key);

  // The command line without "thrum", a word each; and as a shell takes it.
  std::vector<std::string> words() const;
  std::string command_line() const;
  bool is_untouched() const { return !is_touched_; }

  // What was wrong with the command line, in the line that it would give; the field that it is about gets the focus.
  void complain(std::string_view error);
  void say(std::string text, Tone tone);
  void say_source(std::string text) { source_ = std::move(text); }
  // The curl command that was pasted.
  const std::string& pasted() const { return pasted_; }
  // Another request than the one that stands there; what is about load stays.
  void fill(const FlagValues& request);
  void begin_test();
  void end_test(std::string title, std::vector<PanelLine> lines);
  bool is_testing() const { return overlay_ == Overlay::testing; }

 private:
  using Id = SetupField::Id;
  using Kind = SetupField::Kind;
  enum class Overlay : std::uint8_t { none, help, testing, answer };
  struct Row;

  // setup_form.cpp
  std::vector<SetupField*> visible();
  SetupField& field(Id id);
  const SetupField& field(Id id) const;
  void move(int by);
  void go_to(const SetupField* field);
  void leave_row();
  bool edit(SetupField& field, const Key& key);
  void turn(SetupField& field, int by);
  static void insert(SetupField& field, std::string_view text);
  void paste(const std::string& text);
  SetupCommand press_in_overlay(const Key& key);
  // setup_words.cpp
  void put(const std::string& flag, const std::string& value, bool is_settled, FlagValues& others);
  std::vector<std::string> header_words() const;
  // setup_draw.cpp
  std::vector<Row> rows(int section, int width);
  void draw_rows(Grid& grid, Area area, const std::vector<Row>& rows);
  void draw_field(Grid& grid, int x, int y, int width, const SetupField& field);
  void draw_command(Grid& grid, Area area) const;
  void draw_help(Grid& grid) const;

  std::vector<SetupField> fields_;   // but for the headers
  std::vector<SetupField> headers_;  // the last is empty: typing there makes another
  std::vector<std::string> settled_headers_;
  FlagValues others_;      // flags that no field is for, as typed …
  FlagValues of_request_;  // … and those that came with a curl command
  std::size_t focus_ = 0;
  bool is_touched_ = false;
  Overlay overlay_ = Overlay::none;
  TextPanel panel_;
  std::string message_, source_, pasted_;
  Tone message_tone_ = Tone::plain;
};

// As a shell takes it: quoted where it has to be.
std::string shell_word(std::string_view word);

}  // namespace thrum::ui
