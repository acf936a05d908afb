// Standard input and output that were closed when the program began: said before anybody waits, or works, for nothing. The program
// (cli/program.cpp) holds the place of a closed descriptor with one that goes only the wrong way.
#pragma once

#include "thrum/error.hpp"

namespace thrum::mode {

Expected<void> check_stdin();
Expected<void> check_stdout();

}  // namespace thrum::mode
