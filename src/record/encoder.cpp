#include "record/encoder.hpp"

namespace thrum {

std::unique_ptr<Encoder> make_native_encoder();
std::unique_ptr<Encoder> make_gob_encoder();
std::unique_ptr<Encoder> make_json_encoder();
std::unique_ptr<Encoder> make_csv_encoder(EncoderOptions options);

std::unique_ptr<Encoder> make_encoder(Encoding encoding, EncoderOptions options) {
  switch (encoding) {
    case Encoding::gob:
      return make_gob_encoder();
    case Encoding::json:
      return make_json_encoder();
    case Encoding::csv:
      return make_csv_encoder(options);
    case Encoding::native:
      break;
  }
  return make_native_encoder();
}

}  // namespace thrum
