// What came of results, as small numbers: each different pair of status code and error text is a kind. Bounded, however many
// different errors hostile results hold.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "thrum/result.hpp"

namespace thrum::report {

class PlotKinds {
 public:
  // Errors by number: 0 is none, 1 gathers those beyond the bounds.
  static constexpr std::uint32_t kNoError = 0, kOtherErrors = 1;
  static constexpr std::size_t kMostErrors = 2000, kMostBytes = 1 << 20, kMostKinds = 10'000;

  struct Kind {
    std::uint16_t code = 0;
    std::uint32_t error = kNoError;
    bool succeeded = false;
    std::uint64_t results = 0;
    bool operator==(const Kind& o) const { return code == o.code && error == o.error && succeeded == o.succeeded; }
  };

  PlotKinds();
  // The kind of a result, counted.
  std::uint32_t count(const Result& result, bool succeeded);

  const Kind& operator[](std::uint32_t kind) const { return kinds_[kind]; }
  const std::vector<Kind>& kinds() const { return kinds_; }
  const std::string& error(std::uint32_t number) const { return errors_[number]; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::uint32_t number_of(std::string_view error);
  std::uint32_t find_or_add(Kind kind);

  std::vector<Kind> kinds_;
  std::unordered_map<std::uint64_t, std::uint32_t> kind_index_;
  std::vector<std::string> errors_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> error_index_;
  std::size_t bytes_ = 0;
  // The last result's, which are very often the next one's.
  std::string last_text_;
  std::uint32_t last_error_ = kNoError, last_kind_ = 0;
};

// Errors that differ in nothing but the local port of a connection are one: "read tcp 127.0.0.1:*->…".
std::string without_local_port(std::string_view error);

}  // namespace thrum::report
