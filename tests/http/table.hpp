// Tables of recorded cases (tests/data/http), read with the bytes they stand for.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace thrum::test {

inline nlohmann::json read_table(const std::string& name) {
  std::ifstream in(std::string(THRUM_TEST_DATA "/http/") + name);
  return nlohmann::json::parse(in);
}

// Latin-1 text, one character a byte, as those bytes.
inline std::string bytes_of(const std::string& utf8) {
  std::string out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    out += c < 0x80 ? utf8[i] : static_cast<char>((c & 3) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3f));
  }
  return out;
}

}  // namespace thrum::test
