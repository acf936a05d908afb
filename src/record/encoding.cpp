#include "record/encoding.hpp"

namespace thrum {

std::string_view name_of(Encoding e) {
  switch (e) {
    case Encoding::native:
      return "native";
    case Encoding::gob:
      return "gob";
    case Encoding::json:
      return "json";
    case Encoding::csv:
      return "csv";
  }
  return "?";
}

std::optional<Encoding> encoding_named(std::string_view s) {
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv})
    if (s == name_of(e)) return e;
  return std::nullopt;
}

}  // namespace thrum
