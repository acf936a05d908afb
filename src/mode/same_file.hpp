// A command's product must not fall on one of its own inputs: opening the output would empty it before it is read.
#pragma once

#include <string>

namespace thrum::mode {

// Whether `input` ("stdin" and "-": standard input) and the file `output` are one, whatever each is called. Only regular files
// can be: terminals, pipes and devices have nothing to lose.
bool is_same_file(const std::string& output, const std::string& input);

}  // namespace thrum::mode
