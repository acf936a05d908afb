// HTTP/2 frames as they came over a connection, taken apart for comparison.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thrum::golden {

struct Http2Frame {
  int type = 0;
  int flags = 0;
  std::uint32_t stream = 0;
  std::string payload;                                      // of HEADERS: still compressed
  std::vector<std::pair<std::string, std::string>> fields;  // of HEADERS
};

// Of one side of a connection, after the preface. Whole frames only; HEADERS in one frame, without padding or priority.
std::vector<Http2Frame> read_frames(std::string_view bytes);

}  // namespace thrum::golden
