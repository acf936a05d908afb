// Cells, keys, and what goes to a terminal so that the cells stand there.
#include "ui/grid.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "ui/cell_writer.hpp"
#include "ui/keys.hpp"

namespace thrum::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Grid, TextStaysInItsRoom) {
  Grid g(10, 2);
  EXPECT_EQ(g.text(0, 0, "abcdef", {}, 4), 4);
  EXPECT_EQ(g.line(0), "abc…");
  EXPECT_EQ(g.text(7, 1, "wxyz"), 10);
  EXPECT_EQ(g.line(1), "       wx…");
  g.text(0, 5, "nowhere");
  g.text(-2, 0, "xyz");
  EXPECT_EQ(g.line(0), "zbc…");
  EXPECT_EQ(g.text(3, 0, "x", {}, 0), 3);
}

// Whatever a server says, each glyph is one column wide and nothing is a control character.
TEST(Grid, TakesOnlyGlyphsOfOneColumn) {
  Grid g(40, 1);
  EXPECT_EQ(g.text(0, 0, "a\tb\x1b[31m\x07\xff\xe4\xb8\xad\xcc\x81\xf0\x9f\x98\x80\xe2\x80\xae"), 14);
  EXPECT_EQ(g.line(0), "a b�[31m������");
  EXPECT_EQ(columns_of("✔ ▲ ✖ µs … ─"), 12);
}

// A terminal as far as the writer uses one.
struct Emulator {
  Emulator(int width, int height) : grid(width, height) {}
  Grid grid;
  int x = 0, y = 0;
  void take(std::string_view bytes) {
    while (!bytes.empty()) {
      if (bytes.starts_with("\x1b[")) {
        const std::size_t end = bytes.find_first_of("HmJ");
        ASSERT_NE(end, bytes.npos);
        const std::string parameters(bytes.substr(2, end - 2));
        if (bytes[end] == 'H') {
          EXPECT_EQ(std::sscanf(parameters.c_str(), "%d;%d", &y, &x), 2);
          --x, --y;
        }
        if (bytes[end] == 'J') grid = Grid(grid.width(), grid.height());
        bytes.remove_prefix(end + 1);
        continue;
      }
      std::size_t length = 1;
      while (length < bytes.size() && (static_cast<unsigned char>(bytes[length]) & 0xc0) == 0x80) ++length;
      ASSERT_LT(x, grid.width()) << "a glyph beyond the last column";
      grid.text(x++, y, bytes.substr(0, length));
      bytes.remove_prefix(length);
    }
  }
};

TEST(CellWriter, WhatItWritesStandsThere) {
  std::mt19937 random(7);
  for (const Palette palette : {Palette::none, Palette::terminal, Palette::colours256, Palette::dark, Palette::light}) {
    CellWriter writer(palette);
    Emulator terminal(30, 8);
    Grid grid(30, 8);
    for (int frame = 0; frame < 200; ++frame) {
      for (int i = 0; i < 6; ++i)
        grid.put(static_cast<int>(random() % 30), static_cast<int>(random() % 8),
                 {static_cast<char32_t>(U'a' + random() % 26), {static_cast<Tone>(random() % 7), random() % 2 == 0}});
      if (frame % 50 == 49) writer.rewrite();
      terminal.take(writer.differences(grid));
      for (int y = 0; y < 8; ++y) ASSERT_EQ(terminal.grid.line(y), grid.line(y)) << frame;
      ASSERT_EQ(terminal.x, 0);
      ASSERT_EQ(terminal.y, 0);
    }
  }
}

TEST(CellWriter, WritesNothingWhereNothingChanged) {
  CellWriter writer(Palette::dark);
  Grid grid(100, 40);
  grid.text(0, 0, "hello");
  writer.differences(grid);
  EXPECT_EQ(writer.differences(grid), "");
  grid.put(50, 20, {U'x', {}});
  EXPECT_LT(writer.differences(grid).size(), 60u);
  writer.rewrite();
  EXPECT_GT(writer.differences(grid).size(), 4000u);
  const Grid larger(120, 40);
  EXPECT_THAT(writer.differences(larger), HasSubstr("\x1b[2J"));
}

TEST(CellWriter, WithoutColoursHeatIsInShades) {
  CellWriter writer(Palette::none);
  Grid grid(4, 1);
  grid.put(0, 0, {U' ', {heat(1), true}});
  grid.put(1, 0, {U' ', {heat(8), true}});
  grid.put(2, 0, {U'x', {Tone::good, true}});
  const std::string out = writer.differences(grid);
  EXPECT_THAT(out, HasSubstr("░█"));
  EXPECT_THAT(out, HasSubstr("\x1b[0;7mx"));
  EXPECT_THAT(out, Not(HasSubstr("38;")));
}

TEST(Palette, IsChosenByTheEnvironment) {
  const auto chosen = [](std::map<std::string, std::string> set) {
    return palette_of([set](const char* name) { return set.contains(name) ? set.at(name) : ""; });
  };
  EXPECT_EQ(chosen({{"TERM", "xterm"}}), Palette::terminal);
  EXPECT_EQ(chosen({{"TERM", "xterm-256color"}}), Palette::colours256);
  EXPECT_EQ(chosen({{"TERM", "xterm"}, {"COLORTERM", "truecolor"}}), Palette::dark);
  EXPECT_EQ(chosen({{"TERM", "xterm"}, {"COLORTERM", "24bit"}, {"COLORFGBG", "0;15"}}), Palette::light);
  EXPECT_EQ(chosen({{"TERM", "xterm"}, {"COLORTERM", "24bit"}, {"THRUM_THEME", "terminal"}}), Palette::terminal);
  EXPECT_EQ(chosen({{"TERM", "xterm"}, {"THRUM_THEME", "dark"}, {"NO_COLOR", "1"}}), Palette::none);
  EXPECT_EQ(chosen({{"TERM", "dumb"}, {"COLORTERM", "24bit"}}), Palette::none);
}

std::vector<Key> keys_of(const std::vector<std::string>& pieces) {
  KeyReader reader;
  std::vector<Key> keys;
  for (const std::string& piece : pieces) reader.feed(piece, keys);
  reader.pause(keys);
  return keys;
}

TEST(Keys, InAnyPieces) {
  using Kind = Key::Kind;
  const std::string all =
      "q\x1b[A\x1b[B\x1bOC\x1b[5~\x1b[6~\x1b[H\x1b[4~\t\x1b[Z\r\x7f\x03\xc3\xa9\x1b[<64;1;1M\x1b[<0;1;1M\x1b[1;5D\xff+\x13\x1b[3~"
      "\x1bOP\x1b[[A\x1b[200~a\x1b[20\n\x03b\rc\r\n\x1b[201~x";
  const std::vector<Key> expected{{Kind::text, U'q'}, {Kind::up},
                                  {Kind::down},       {Kind::right},
                                  {Kind::page_up},    {Kind::page_down},
                                  {Kind::home},       {Kind::end},
                                  {Kind::tab},        {Kind::back_tab},
                                  {Kind::enter},      {Kind::backspace},
                                  {Kind::interrupt},  {Kind::text, U'é'},
                                  {Kind::up},         {Kind::left},
                                  {Kind::text, U'+'}, {Kind::control, U's'},
                                  {Kind::del},        {Kind::help},
                                  {Kind::help},       {Kind::paste, 0, "a\x1b[20\n\x03b\nc\n"},
                                  {Kind::text, U'x'}};
  EXPECT_EQ(keys_of({all}), expected);
  for (std::size_t cut = 1; cut < all.size(); ++cut) EXPECT_EQ(keys_of({all.substr(0, cut), all.substr(cut)}), expected) << cut;
  std::vector<std::string> bytes;
  for (const char c : all) bytes.emplace_back(1, c);
  EXPECT_EQ(keys_of(bytes), expected);
}

TEST(Keys, AnEscapeAloneIsTheKey) {
  EXPECT_THAT(keys_of({"\x1b"}), ElementsAre(Key{Key::Kind::escape}));
  EXPECT_THAT(keys_of({"\x1bx"}), ElementsAre(Key{Key::Kind::escape}, Key{Key::Kind::text, U'x'}));
  EXPECT_THAT(keys_of({"\x1b[" + std::string(1000, '1')}), IsEmpty());
  EXPECT_THAT(keys_of({"\x1b[" + std::string(1000, '1') + "Ax"}), ElementsAre(Key{Key::Kind::text, U'x'}));
}

// A terminal that is slow, or that never says where the paste ends: neither loses what came, nor takes the keys for ever.
TEST(Keys, APasteIsWaitedFor) {
  KeyReader reader;
  std::vector<Key> keys;
  reader.feed("\x1b[200~one ", keys);
  for (int i = 0; i < 5; ++i) reader.pause(keys);
  EXPECT_THAT(keys, IsEmpty());
  reader.feed("two\x1b[2", keys);
  for (int i = 0; i < 100; ++i) reader.pause(keys);
  EXPECT_THAT(keys, ElementsAre(Key{Key::Kind::paste, 0, "one two\x1b[2"}));
  EXPECT_FALSE(reader.waits());
  keys.clear();
  reader.feed("\x1b[200~" + std::string(3 << 20, 'x') + "\x1b[201~q", keys);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].pasted.size(), KeyReader::kLongestPaste);
  EXPECT_EQ(keys[1], (Key{Key::Kind::text, U'q'}));
}

}  // namespace
}  // namespace thrum::ui
