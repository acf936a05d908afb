#include "record/reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iterator>

#include "base/text.hpp"
#include "record/decoder.hpp"
#include "record/recognise.hpp"

namespace thrum {
namespace {

// One input from its first byte to its last.
class InputReader {
 public:
  InputReader(ByteSource source, Findings& findings, bool strict) : input_(std::move(source), findings) { input_.strict = strict; }

  // Finds out what it is.
  Expected<void> open();

  Expected<std::span<const Result>> next() {
    if (ended_) return std::span<const Result>();
    const auto rows = decoder_->next();
    results_ += rows.size();
    if (!rows.empty()) return rows;
    if (input_.failure) return std::unexpected(*input_.failure);
    return end();
  }

  const Run* run() const { return input_.run; }
  // What has been read of it and not been decoded yet: once open, its beginning.
  std::string_view window() const { return input_.source.window(); }
  bool ready(Nanos timeout) const { return ended_ || !input_.starved || input_.failure || input_.source.readable(timeout); }

 private:
  Expected<std::span<const Result>> end();
  std::string name() const { return printable(input_.source.name()); }

  Input input_;
  std::unique_ptr<Decoder> decoder_;
  std::uint64_t results_ = 0;
  bool ended_ = false;
};

Expected<void> InputReader::open() {
  ByteSource& source = input_.source;
  std::optional<Recognised> found;
  while (!(found = recognise(source.window(), source.ended())))
    if (const auto more = source.more(); !more) return std::unexpected(more.error());
  if (!found->encoding) return failure(fmt::format("{}: byte {}: not results but {}", name(), source.offset(), found->instead));
  if (source.window().starts_with("\xef\xbb\xbf")) source.consume(3);
  input_.starved = source.window().empty();  // what it was recognised by is most likely a record
  switch (*found->encoding) {
    case Encoding::native:
      decoder_ = make_native_decoder(input_);
      break;
    case Encoding::gob:
      decoder_ = make_gob_decoder(input_);
      break;
    case Encoding::json:
      decoder_ = make_json_decoder(input_);
      break;
    case Encoding::csv:
      decoder_ = make_csv_decoder(input_);
      break;
  }
  return {};
}

// Nothing more to come. A native file may say that there were no results; any other file without one is none of ours.
Expected<std::span<const Result>> InputReader::end() {
  ended_ = true;
  input_.source.close();
  decoder_.reset();
  if (results_ != 0) return std::span<const Result>();
  if (input_.is_damaged()) {
    const Damage& d = input_.findings->damage[*input_.damage_index];
    return failure(fmt::format("{}: byte {}: {}; no result could be read", name(), d.offset, d.what));
  }
  if (input_.run == nullptr || input_.run->encoding != Encoding::native) return failure(fmt::format("{}: no results in it", name()));
  return std::span<const Result>();
}

class MergedReader final : public Reader {
 public:
  explicit MergedReader(ReaderOptions options) : options_(options) {}

  Expected<void> add(ByteSource source) {
    inputs_.push_back(std::make_unique<Part>(Part{InputReader(std::move(source), findings_, options_.strict), {}}));
    return inputs_.back()->reader.open();
  }
  // Of the file that was added last.
  void note_repeat(int fd, const std::string& name);

  Expected<std::span<const Result>> next() override {
    return options_.order == ReaderOptions::Order::bulk ? next_in_bulk() : next_in_turn();
  }

  const Run& run() const override { return current_ != nullptr ? *current_ : none_; }
  std::span<const std::unique_ptr<Run>> runs() const override { return findings_.runs; }
  std::span<const Damage> damage() const override { return findings_.damage; }
  std::span<const std::string> repeats() const override { return repeats_; }
  bool ready(Nanos timeout) override {
    return turn_ >= inputs_.size() || !inputs_[turn_]->left.empty() || inputs_[turn_]->reader.ready(timeout);
  }

 private:
  static constexpr std::size_t kBatch = 256;

  struct Original {
    std::string name;
    dev_t device;
    ino_t number;
    off_t size;
    std::size_t beginning;  // a hash of it
  };
  struct Part {
    InputReader reader;
    std::span<const Result> left{};  // read, but not yet handed out
    std::vector<Result> counted{};   // of a batch, those of no warm-up
  };

  Expected<std::span<const Result>> next_of(Part& part);
  Expected<std::span<const Result>> next_in_bulk();
  Expected<std::span<const Result>> next_in_turn();

  ReaderOptions options_;
  Findings findings_;
  std::vector<std::unique_ptr<Part>> inputs_;
  std::size_t turn_ = 0;
  const Run* current_ = nullptr;
  Run none_;
  std::vector<Result> mixed_;
  std::vector<Original> originals_;
  std::vector<std::string> repeats_;
};

// A copy is known by its size and how it begins: every encoding begins with a time in nanoseconds.
void MergedReader::note_repeat(int fd, const std::string& name) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const Original file{name, status.st_dev, status.st_ino, status.st_size, std::hash<std::string_view>()(inputs_.back()->reader.window())};
  for (const Original& o : originals_) {
    const bool is_same = o.device == file.device && o.number == file.number;
    if (!is_same && (o.size != file.size || o.beginning != file.beginning)) continue;
    repeats_.push_back(is_same && o.name == name
                           ? fmt::format("{} is given twice: its results count twice", printable(name))
                           : fmt::format("{} holds the same as {}: these results count twice", printable(name), printable(o.name)));
    return;
  }
  originals_.push_back(file);
}

Expected<std::span<const Result>> MergedReader::next_of(Part& part) {
  for (;;) {
    const auto rows = part.reader.next();
    if (options_.warmup || !rows || std::ranges::none_of(*rows, &Result::is_warmup)) return rows;
    part.counted.clear();
    std::ranges::copy_if(*rows, std::back_inserter(part.counted), std::logical_not(), &Result::is_warmup);
    if (!part.counted.empty()) return part.counted;
  }
}

Expected<std::span<const Result>> MergedReader::next_in_bulk() {
  for (; turn_ < inputs_.size(); ++turn_) {
    Part& part = *inputs_[turn_];
    const auto rows = next_of(part);
    if (!rows) return rows;
    if (rows->empty()) continue;
    current_ = part.reader.run();
    return rows;
  }
  return std::span<const Result>();
}

// One result of each input in turn. Reading on ends the life of an input's earlier results, so what is gathered is handed out
// before that.
Expected<std::span<const Result>> MergedReader::next_in_turn() {
  mixed_.clear();
  while (!inputs_.empty() && mixed_.size() < kBatch) {
    if (turn_ >= inputs_.size()) turn_ = 0;
    Part& part = *inputs_[turn_];
    if (part.left.empty()) {
      if (!mixed_.empty()) break;
      const auto rows = next_of(part);
      if (!rows) return rows;
      if (rows->empty()) {
        inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(turn_));
        continue;
      }
      part.left = *rows;
    }
    if (mixed_.empty()) current_ = part.reader.run();
    mixed_.push_back(part.left.front());
    part.left = part.left.subspan(1);
    ++turn_;
  }
  return mixed_;
}

// Opening a FIFO blocks until somebody writes to it; opened so it doesn't, and ByteSource waits before it reads.
int opening_flags(const std::string& name) {
  struct stat status{};
  const bool is_fifo = ::stat(name.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
  return O_RDONLY | O_CLOEXEC | (is_fifo ? O_NONBLOCK : 0);
}

Expected<ByteSource> open_file(const std::string& name, const ByteSource::GiveUp& give_up) {
  if (name == "stdin" || name == "-") {
    const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY) return failure("stdin is closed");
    return ByteSource(STDIN_FILENO, "stdin", give_up);
  }
  Fd fd(::open(name.c_str(), opening_flags(name)));
  if (!fd.is_open()) {
    const int error = errno;
    const std::string near = error == ENOENT ? nearest_file(name) : std::string();
    return failure(fmt::format("{}: can't open: {}{}", printable(name), std::strerror(error),
                               near.empty() ? std::string() : fmt::format(" (is {} meant?)", printable(near))));
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode))
    return failure(fmt::format("{}: a folder, not results: name the files in it, as in {}/*.bin", printable(name), printable(name)));
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return ByteSource(std::move(fd), name, give_up);
}

}  // namespace

std::string Damage::warning() const {
  const std::string lost = bytes == 0    ? std::string()
                           : places == 1 ? fmt::format("; {} bytes passed over", bytes)
                                         : fmt::format("; {} bytes in {} places passed over", bytes, places);
  return fmt::format("{}: byte {}: {}{}, all the rest was used", printable(file), offset, what, lost);
}

void Input::damaged(std::uint64_t at, std::uint64_t bytes, std::string what) {
  if (strict && !failure) failure = Error{ErrorKind::failure, fmt::format("{}: byte {}: {} (-strict)", printable(source.name()), at, what)};
  if (!damage_index) {
    damage_index = findings->damage.size();
    findings->damage.push_back({source.name(), at, 0, 0, std::move(what)});
  }
  Damage& d = findings->damage[*damage_index];
  ++d.places;
  d.bytes += bytes;
}

Run& Input::begin_run(Encoding encoding) {
  findings->runs.push_back(std::make_unique<Run>());
  run = findings->runs.back().get();
  run->file = source.name();
  run->encoding = encoding;
  return *run;
}

Expected<std::unique_ptr<Reader>> open_results(std::span<const std::string> files, ReaderOptions options) {
  auto reader = std::make_unique<MergedReader>(options);
  const std::string standard_input = "stdin";
  if (files.empty()) files = std::span(&standard_input, 1);
  for (const std::string& name : files) {
    auto source = open_file(name, options.give_up);
    if (!source) return std::unexpected(source.error());
    const int fd = source->fd();
    if (const auto added = reader->add(std::move(*source)); !added) return std::unexpected(added.error());
    reader->note_repeat(fd, name);
  }
  return reader;
}

Expected<std::unique_ptr<Reader>> open_results(int fd, std::string name, ReaderOptions options) {
  auto reader = std::make_unique<MergedReader>(options);
  if (const auto added = reader->add(ByteSource(fd, std::move(name), options.give_up)); !added) return std::unexpected(added.error());
  return reader;
}

}  // namespace thrum
