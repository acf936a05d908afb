// Standard input and output that were closed when the program began: said before anybody waits, or works, for nothing. The program
// (cli/program.cpp) holds the place of a closed descriptor with one that goes only the wrong way.
#pragma once

#include "thrum/error.hpp"

namespace thrum::mode {

Expected<void> check_stdin();
Expected<void> check_stdout();

// Nothing more comes on stdout: whoever reads it sees its end now. What is written there from here on goes nowhere.
void end_stdout();

}  // namespace thrum::mode
