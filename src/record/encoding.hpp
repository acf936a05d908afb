// The encodings in which results are kept: their names and how a file's first bytes give them away.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thrum {

enum class Encoding : std::uint8_t { native, gob, json, csv };

std::string_view name_of(Encoding e);                        // "native", "gob", "json", "csv"
std::optional<Encoding> encoding_named(std::string_view s);  // exactly those words

// The encoding of the results in a regular file; nothing if it can't be read or holds something else.
std::optional<Encoding> encoding_of_file(const std::string& path);

}  // namespace thrum
