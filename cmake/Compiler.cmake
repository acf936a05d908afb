# Warnings, sanitizers and the compiler cache: attached to our own targets only, never to a consumer's.
add_library(thrum_flags INTERFACE)
target_compile_options(thrum_flags INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  -Wimplicit-fallthrough -fno-omit-frame-pointer)
if(THRUM_WERROR)
  target_compile_options(thrum_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 reports impossible overlaps and reads inside std::string at -O2 (GCC bugs 105329 and 105651).
  target_compile_options(thrum_flags INTERFACE -Wno-restrict -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(thrum_flags INTERFACE -Wno-deprecated-declarations)  # in std::stable_sort of GCC 12's library
endif()
if(THRUM_SANITIZE)
  string(REPLACE ";" "," _sanitizers "${THRUM_SANITIZE}")
  add_compile_options(-fsanitize=${_sanitizers} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${_sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND _sanitizers MATCHES "thread")
    # Its runtime's operator new is not weak: where the program has its own, that one counts.
    add_link_options(-Wl,--allow-multiple-definition)
  endif()
endif()
if(THRUM_FUZZ)
  # Coverage in every room, so that libFuzzer sees into what it calls; its main is linked by the fuzz targets alone.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
find_program(THRUM_CCACHE ccache)
if(THRUM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The first words, and -fpch-preprocess in Room.cmake, let it keep what is compiled with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${THRUM_CCACHE})
endif()
