// Small acts on text that every room needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thrum {

std::string_view trim(std::string_view s);                         // spaces, tabs, CR and LF at both ends
bool equal_ignoring_case(std::string_view a, std::string_view b);  // ASCII
std::string lower(std::string_view s);                             // ASCII

// The candidate nearest to `word` by edit distance, empty when none is near enough to be a likely slip.
std::string nearest(std::string_view word, std::span<const std::string> candidates);
// The file in the folder of `path` whose name is nearest to it, as a path; empty if none is near.
std::string nearest_file(const std::string& path);

// Length of the well-formed UTF-8 sequence that `s` (not empty) begins with, its code point in `point`; 0 if there is none.
std::size_t utf8_length(std::string_view s, std::uint32_t& point);

// Safe for a terminal: control characters (C0 but \t if asked, DEL, C1), invalid UTF-8 and bidirectional overrides become
// visible escapes such as \x1b. Nothing a server or a file says reaches a terminal except through this.
std::string printable(std::string_view s, bool keep_tabs = false);
// printable, cut to `width` characters with an ellipsis.
std::string printable_prefix(std::string_view s, std::size_t width);

}  // namespace thrum
