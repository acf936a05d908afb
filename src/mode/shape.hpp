// What a rate means, before it is used: drawn, counted, stage by stage. Composition only: load -> report.
#pragma once

#include <cstddef>
#include <string>

#include "thrum/error.hpp"
#include "thrum/result.hpp"  // Nanos

namespace thrum::mode {

struct ShapeRequest {
  std::string rate{};       // as for attack -rate
  Nanos duration{0};        // how much of it to show; 0: all, or the beginning of one that goes on
  std::size_t columns = 0;  // of the drawing; 0: as the terminal has, or 80
};

Expected<std::string> run_shape(const ShapeRequest& request);

}  // namespace thrum::mode
