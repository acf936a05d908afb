#include "record/transcode.hpp"

#include "base/version.hpp"

namespace thrum {
namespace {

constexpr std::size_t kChunk = 64 * 1024;

// What a header says of results that had none.
FileHeader header_for(const Run& run) {
  FileHeader header = run.header;
  if (run.encoding != Encoding::native) {
    header.tool = "thrum";
    header.version = kVersion;
    header.source = name_of(run.encoding);
  }
  return header;
}

class Transcoder {
 public:
  Transcoder(Reader& from, Encoding encoding, EncoderOptions options, Output& to)
      : from_(from), encoder_(make_encoder(encoding, options)), to_(to), native_(encoding == Encoding::native) {}

  Expected<std::uint64_t> run() {
    std::uint64_t count = 0;
    for (;;) {
      const auto results = from_.next();
      if (!results) return end_with(results.error());
      if (results->empty()) break;
      if (run_ != &from_.run()) begin(from_.run());
      encoder_->append(*results, out_);
      count += results->size();
      in_run_ += results->size();
      if (out_.size() >= kChunk || !from_.ready(Nanos(0))) {
        encoder_->flush(out_);
        if (const auto written = write(); !written) return std::unexpected(written.error());
      }
    }
    if (run_ == nullptr && !from_.runs().empty()) begin(*from_.runs().front());  // a run without a result is one
    end_run();
    if (const auto written = write(); !written) return std::unexpected(written.error());
    return count;
  }

 private:
  void begin(const Run& run) {
    end_run();
    run_ = &run;
    in_run_ = 0;
    if (std::exchange(begun_, true) && !native_) return;
    encoder_->begin(header_for(run), out_);
  }

  void end_run() {
    encoder_->flush(out_);
    if (run_ == nullptr) return;
    for (const Event& e : run_->events) encoder_->event(e, out_);
    if (!run_->closing) return;
    ClosingBooks books = *run_->closing;
    books.results = in_run_;
    encoder_->finish(books, out_);
  }

  std::unexpected<Error> end_with(const Error& error) {
    encoder_->flush(out_);
    if (const auto written = write(); !written) return std::unexpected(written.error());
    return std::unexpected(error);
  }

  Expected<void> write() {
    const auto written = to_.write(out_);
    out_.clear();
    return written;
  }

  Reader& from_;
  std::unique_ptr<Encoder> encoder_;
  Output& to_;
  const Run* run_ = nullptr;
  std::uint64_t in_run_ = 0;
  bool begun_ = false;
  const bool native_;
  std::string out_;
};

}  // namespace

Expected<std::uint64_t> transcode(Reader& from, Encoding encoding, EncoderOptions options, Output& to) {
  return Transcoder(from, encoding, options, to).run();
}

}  // namespace thrum
