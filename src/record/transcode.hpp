// Results of one encoding to another.
#pragma once

#include <cstdint>

#include "record/encoder.hpp"
#include "record/output.hpp"
#include "record/reader.hpp"

namespace thrum {

// Reads `from` to its end into `to`; returns how many results there were. Native output keeps the runs apart, with their headers,
// events and books, so `from` must then give file after file (ReaderOptions::Order::bulk). Results come out as soon as they can be
// read: a live pipe stays live. An error leaves everything before it written.
Expected<std::uint64_t> transcode(Reader& from, Encoding encoding, EncoderOptions options, Output& to);

}  // namespace thrum
