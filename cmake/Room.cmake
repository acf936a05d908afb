# A room is a static library named thrum_<room>. Its include root holds one link, <root>/<room> -> src/<room>, so that
# `#include "net/reactor.hpp"` compiles only in rooms that link thrum_net: an upward include fails to compile.
#
#   thrum_room(net DEPS thrum_host thrum_base LIBS OpenSSL::SSL SOURCES reactor.cpp ...)
function(thrum_room name)
  cmake_parse_arguments(ROOM "" "" "DEPS;LIBS;SOURCES" ${ARGN})
  set(root ${PROJECT_BINARY_DIR}/rooms/${name})
  file(MAKE_DIRECTORY ${root})
  if(NOT EXISTS ${root}/${name})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
  endif()
  if(ROOM_SOURCES)
    add_library(thrum_${name} STATIC ${ROOM_SOURCES})
    target_include_directories(thrum_${name} PUBLIC ${root})
    target_link_libraries(thrum_${name} PUBLIC ${ROOM_DEPS} PRIVATE ${ROOM_LIBS} thrum_flags)
  else()
    add_library(thrum_${name} INTERFACE)
    target_include_directories(thrum_${name} INTERFACE ${root})
    target_link_libraries(thrum_${name} INTERFACE ${ROOM_DEPS})
  endif()
endfunction()

# The headers that every test includes are compiled once. Off (as in the presets for clang) shows includes that are missing.
option(THRUM_PRECOMPILED "Precompiled headers for the tests" ON)
function(thrum_tests_precompiled)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "int main() {}\n")
  # A program, as those that use them are: they must be compiled alike.
  add_executable(thrum_tests_precompiled ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(thrum_tests_precompiled PRIVATE GTest::gmock GTest::gtest thrum_flags)
  target_precompile_headers(thrum_tests_precompiled PRIVATE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <chrono> <expected> <filesystem>
    <fstream> <functional> <memory> <optional> <span> <string> <string_view> <thread> <vector>)
endfunction()

# One test executable per room: tests/<room>/*_test.cpp. BOTH_IO: its tests that match run a second time, over io_uring
# (tests/support/io.hpp).
function(thrum_test name)
  cmake_parse_arguments(T "" "BOTH_IO" "DEPS;SOURCES" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  target_link_libraries(${name} PRIVATE ${T_DEPS} GTest::gmock GTest::gtest GTest::gtest_main thrum_flags)
  target_compile_definitions(${name} PRIVATE THRUM_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  if(TARGET thrum_tests_precompiled)
    target_precompile_headers(${name} REUSE_FROM thrum_tests_precompiled)
    target_compile_options(${name} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess;-Wno-array-bounds;-Wno-stringop-overflow>") # GCC 12 warns of code of the standard library
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "-*.DISABLED_*" PROPERTIES LABELS unit)
  if(T_BOTH_IO)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 TEST_FILTER "${T_BOTH_IO}-*.DISABLED_*" TEST_SUFFIX .uring TEST_LIST ${name}_uring
      PROPERTIES LABELS unit ENVIRONMENT THRUM_TEST_IO=uring SKIP_REGULAR_EXPRESSION "SKIPPED")
  endif()
endfunction()
