// `-by`: a row for each group of results, the busiest first, then the others, the total last. Text and JSON show it.
#pragma once

#include <string>

#include "report/input.hpp"
#include "report/json_text.hpp"

namespace thrum::report {

// Rows of tab-ended cells; input.groups is there.
std::string group_rows(const Input& input);
// "grouped_by", "groups" and "other_groups" of an object that is open.
void group_fields(const Input& input, JsonWriter& w);

}  // namespace thrum::report
