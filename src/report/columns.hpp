// Columns that line up: a cell ends at its tab, and the cells of one column in lines that follow each other are as wide as
// the widest, plus two blanks. What follows a line's last tab belongs to no column. (The rule of Go's text/tabwriter, by
// which vegeta's reports are laid out; widths are counted in code points.)
#pragma once

#include <string>
#include <string_view>

namespace thrum::report {

// `text`: lines that end in a newline.
std::string align_columns(std::string_view text);

}  // namespace thrum::report
