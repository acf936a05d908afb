// Lines of text in a box that is scrolled: an answer, a body. What is in them may come from a server: the grid takes no harm by it.
// Lines that are too long go on below.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ui/grid.hpp"
#include "ui/keys.hpp"

namespace thrum::ui {

struct PanelSpan {
  std::string text;
  Style style{};
};

struct PanelLine {
  std::vector<PanelSpan> spans{};
  PanelLine() = default;
  PanelLine(std::string text, Style style = {}) { spans.push_back({std::move(text), style}); }  // NOLINT(google-explicit-constructor)
};

class TextPanel {
 public:
  void show(std::string title, std::vector<PanelLine> lines);
  void draw(Grid& grid, Area area);
  // Whether the key scrolls.
  bool press(const Key& key);
  // To the next line with that text in it, in any case, behind the one on top; from the first again after the last.
  bool find(std::string_view text);

 private:
  void wrap(int width);

  std::string title_;
  std::vector<PanelLine> lines_, wrapped_;  // as given; as they fit
  int width_ = 0;                           // of wrapped_; 0: not done yet
  int first_ = 0, page_ = 10;
};

}  // namespace thrum::ui
