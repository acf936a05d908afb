// The pages of the program's own file that are mapped into its memory.
#pragma once

namespace thrum::host {

// Takes what setting up has touched of the program's code and constants out of this process's memory; what is needed on comes back with
// the next access, from the kernel's cache of the file. Most of it never is: reading flags and files, checking, building tables. Where a
// debugger is at work nothing happens: its breakpoints are changed pages, which would be lost. A program may do so, a library may not.
void give_back_program_pages();

}  // namespace thrum::host
