// Body files that targets name, each read once however many targets name it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "thrum/error.hpp"
#include "thrum/target.hpp"

namespace thrum::targets {

class BodyFiles {
 public:
  // `folder` is the list's own, empty if it has none; at most `keep` bytes are remembered for targets to come.
  BodyFiles(std::string folder, std::size_t keep) : folder_(std::move(folder)), keep_(keep) {}

  // A relative path is looked for in the current folder first, as in vegeta, then beside the list.
  Expected<SharedBytes> get(std::string_view path);

 private:
  Expected<SharedBytes> read(const std::string& path) const;

  std::string folder_;
  std::size_t keep_;
  std::size_t kept_ = 0;
  std::unordered_map<std::string, SharedBytes> files_;
};

}  // namespace thrum::targets
