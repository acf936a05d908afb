// Reading targets: from a file, from standard input, from a string. Two formats, both vegeta's; docs/targets.md has the rules.
//
//   auto targets = thrum::read_targets("targets.txt");
//   if (!targets) std::cerr << targets.error().text << '\n';   // targets.txt:12: method "get" is not in capital letters: …
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"
#include "thrum/target.hpp"

namespace thrum {

enum class TargetFormat : std::uint8_t {
  http,  // METHOD URL, then header lines, then @body-file; before it lines such as "#: weight 5"
  json,  // objects with method, url, header, body (base64), name and weight, one a line, spread over several, or in an array
};

// What a list may say of its targets.
struct TargetRules {
  bool weights = true;  // false: a weight is an error, since each target is sent once
};

// "http" or "json".
Expected<TargetFormat> parse_target_format(std::string_view text);

// All targets of a file; "-" (or "stdin", as in vegeta) is standard input. Each is checked and each body file read, so what
// comes back can be sent. None at all is an error.
Expected<std::vector<Target>> read_targets(const std::string& file, TargetFormat format = TargetFormat::http);
// The same from text in memory. Body files are looked for in the current folder.
Expected<std::vector<Target>> parse_targets(std::string_view text, TargetFormat format = TargetFormat::http);
// Targets one by one, as they arrive, in memory that does not grow with their number. The file is opened here, read later.
Expected<std::unique_ptr<TargetSource>> stream_targets(const std::string& file, TargetFormat format = TargetFormat::http,
                                                       TargetRules rules = {});

// A file's bytes, for AttackOptions::body.
Expected<SharedBytes> read_body_file(const std::string& path);

}  // namespace thrum
