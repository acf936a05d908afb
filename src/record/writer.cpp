#include "record/writer.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <deque>
#include <filesystem>
#include <mutex>
#include <thread>

#include "host/background.hpp"
#include "record/output.hpp"
#include "record/spool.hpp"

namespace thrum {
namespace {

constexpr std::size_t kHandOver = 32 * 1024;          // encoded bytes after which the thread gets them, tick or not
constexpr std::size_t kFromSpool = 64 * 1024;         // read back at a time
constexpr std::size_t kLarge = std::size_t{1} << 20;  // a buffer that one giant record grew is not kept

// The writing thread and what it shares with the one that encodes.
class WritingThread {
 public:
  WritingThread(Output output, std::string spool_folder, std::size_t queue_bytes)
      : output_(std::move(output)), queue_bytes_(queue_bytes), spool_(std::move(spool_folder)), give_up_(::eventfd(0, EFD_CLOEXEC)) {
    output_.give_up_on(give_up_.get());
    // Signals are for the program's own threads; a closed pipe shall be an error here, not a signal.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  ~WritingThread() {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(give_up_.get(), &one, sizeof one);
    join();
  }

  // `bytes` are in its hands then, with all that came before; they hold `results` whole ones (of the run, so far).
  Expected<void> give(std::string_view bytes, std::uint64_t results) {
    const std::lock_guard lock(mutex_);
    if (error_) return std::unexpected(*error_);
    if (bytes.empty()) return {};
    given_ += bytes.size();
    marks_.push_back({given_, results});
    // What is spooled comes before what is new, so the queue takes nothing while there is any.
    if (!spool_.empty() || (!queue_.empty() && queue_.size() + bytes.size() > queue_bytes_)) {
      if (const auto put = spool_.put(bytes); !put) return fail(put.error());
    } else {
      queue_ += bytes;
    }
    wake_.notify_one();
    return {};
  }

  // Waits until everything is written.
  Expected<void> join() {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
    return error_ ? Expected<void>(std::unexpected(*error_)) : Expected<void>();
  }

  std::uint64_t spooled() {
    const std::lock_guard lock(mutex_);
    return spool_.most_held();
  }

 private:
  struct Mark {
    std::uint64_t bytes, results;  // handed over up to here
  };

  void run() {
    const host::Background background;
    std::string chunk;
    while (next(chunk)) {
      const auto written = output_.write(chunk);
      const std::lock_guard lock(mutex_);
      out_ = output_.written();
      for (; !marks_.empty() && marks_.front().bytes <= out_; marks_.pop_front()) whole_ = marks_.front();
      if (!written) {
        fail(written.error());
        return;
      }
    }
  }

  // Waits for something to write. false: there is nothing more.
  bool next(std::string& chunk) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return !queue_.empty() || !spool_.empty() || finished_ || error_; });
    if (error_) return false;
    chunk.clear();
    if (chunk.capacity() > kLarge) chunk = {};
    if (!queue_.empty()) {
      chunk.swap(queue_);
    } else if (!spool_.empty()) {
      if (const auto taken = spool_.take(kFromSpool, chunk); !taken) return fail(taken.error()), false;
    }
    return !chunk.empty();
  }

  // The first error stays, with what came out before it.
  std::unexpected<Error> fail(const Error& error) {
    if (!error_) error_ = Error{error.kind, fmt::format("{}; {}", error.text, what_came_out())};
    return std::unexpected(*error_);
  }

  // Results are counted by what was handed over at once; of the last such piece some may have come out as well.
  std::string what_came_out() const {
    if (whole_.bytes == out_) return fmt::format("{} results ({} bytes) were written whole", whole_.results, out_);
    if (whole_.results == 0) return fmt::format("{} bytes were written, and the results that are whole in them can be read", out_);
    return fmt::format("at least {} results were written whole ({} bytes in all)", whole_.results, out_);
  }

  Output output_;
  const std::size_t queue_bytes_;
  std::mutex mutex_;  // for all that follows
  std::condition_variable wake_;
  std::string queue_;  // waits in memory, and comes before what waits in the spool
  Spool spool_;
  std::deque<Mark> marks_;  // of what is not written yet
  Mark whole_{0, 0};
  std::uint64_t given_ = 0;
  std::uint64_t out_ = 0;  // bytes that the output has taken
  bool finished_ = false;
  std::optional<Error> error_;

  Fd give_up_;
  std::thread thread_;
};

class EncodingWriter final : public ResultsWriter {
 public:
  EncodingWriter(Output output, const FileHeader& header, const WriterOptions& options, std::string spool_folder)
      : encoder_(make_encoder(options.encoding, options.encoder)),
        thread_(std::move(output), std::move(spool_folder), options.queue_bytes) {
    encoder_->begin(header, bytes_);
    // An error shows at the first take() or tick().
    static_cast<void>(hand_over());
  }

  Expected<void> take(std::span<const Result> results) override {
    encoder_->append(results, bytes_);
    results_ += results.size();
    return bytes_.size() < kHandOver ? Expected<void>() : hand_over();
  }

  Expected<void> tick() override {
    encoder_->flush(bytes_);
    return hand_over();
  }

  void event(const Event& event) override { encoder_->event(event, bytes_); }

  Expected<void> finish(const Summary& summary) override {
    encoder_->flush(bytes_);
    encoder_->finish({summary, results_, thread_.spooled()}, bytes_);
    const auto given = hand_over();
    const auto written = thread_.join();
    return written ? given : written;
  }

  std::uint64_t spooled() const override { return thread_.spooled(); }

 private:
  Expected<void> hand_over() {
    const auto given = thread_.give(bytes_, results_ - encoder_->unflushed());
    bytes_.clear();
    if (bytes_.capacity() > kLarge) bytes_ = {};
    return given;
  }

  std::unique_ptr<Encoder> encoder_;
  std::string bytes_;  // encoded, not handed over yet
  std::uint64_t results_ = 0;
  mutable WritingThread thread_;
};

}  // namespace

Expected<std::unique_ptr<ResultsWriter>> ResultsWriter::to_file(const std::string& path, const FileHeader& header, WriterOptions options) {
  auto output = Output::create(path);
  if (!output) return std::unexpected(output.error());
  std::string folder = options.spool_folder;
  if (folder.empty()) folder = std::filesystem::path(path).parent_path().string();
  if (folder.empty()) folder = ".";
  return std::make_unique<EncodingWriter>(std::move(*output), header, options, std::move(folder));
}

Expected<std::unique_ptr<ResultsWriter>> ResultsWriter::to_fd(int fd, const FileHeader& header, WriterOptions options) {
  std::string folder = options.spool_folder.empty() ? temporary_folder() : options.spool_folder;
  return std::make_unique<EncodingWriter>(Output(fd, options.name), header, options, std::move(folder));
}

}  // namespace thrum
