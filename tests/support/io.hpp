// Suites that run once over each reactor: CMake registers them twice (BOTH_IO), and THRUM_TEST_IO says which run this is.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "net/reactor.hpp"

namespace thrum::support {

inline Io io_of_tests() {
  const char* word = std::getenv("THRUM_TEST_IO");
  return word != nullptr && std::string_view(word) == "uring" ? Io::uring : Io::epoll;
}

// Empty: this machine lets us.
inline std::string why_no_uring() {
  const auto made = net::Reactor::create(Io::uring);
  return made ? "" : made.error().text;
}

// Where io_uring is not to be had, the run over it is skipped.
class OverIo final : public testing::Environment {
 public:
  void SetUp() override {
    if (io_of_tests() != Io::uring) return;
    if (const std::string why = why_no_uring(); !why.empty()) GTEST_SKIP() << why;
  }
};
inline const testing::Environment* const kOverIo = testing::AddGlobalTestEnvironment(new OverIo);

}  // namespace thrum::support
