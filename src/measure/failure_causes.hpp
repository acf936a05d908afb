// Why requests failed: each cause with its count and the start of the first body that came with it. Bounded: a server that makes up a
// new reason each time can't fill the memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "thrum/result.hpp"

namespace thrum {

class FailureCauses {
 public:
  static constexpr std::size_t kMostCauses = 256;
  static constexpr std::size_t kBodyKept = 256;  // bytes

  struct Cause {
    std::string text;  // "503 Service Unavailable", "timeout: …"
    std::uint16_t status = 0;
    std::uint64_t count = 0;
    std::string body{};  // may be anything: printable() before it is shown
  };

  // A result that failed.
  void add(const Result& result);
  void merge(const FailureCauses& other);
  // The most frequent first.
  std::vector<Cause> by_count() const;
  std::uint64_t others() const { return others_; }  // of causes beyond those

 private:
  Cause* find_or_add(std::string_view text, std::uint16_t status);

  std::vector<Cause> causes_;
  std::size_t last_ = 0;
  std::uint64_t others_ = 0;
};

}  // namespace thrum
