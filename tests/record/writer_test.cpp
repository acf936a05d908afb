// The writer of a run's results: everything arrives, the attack never waits, whatever ends the output is said.
#include "record/writer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "samples.hpp"

namespace thrum {
namespace {

using samples::Kept;
using samples::TemporaryFile;
using ::testing::HasSubstr;

class Pipe {
 public:
  Pipe() {
    int fds[2];
    EXPECT_EQ(::pipe2(fds, O_CLOEXEC), 0);
    out = Fd(fds[0]), in = Fd(fds[1]);
  }
  Fd out, in;
};

std::string drain(int fd) {
  std::string all;
  char buffer[65536];
  for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;) all.append(buffer, static_cast<std::size_t>(n));
  return all;
}

// Takes the error of the first of many calls that has one: the thread that writes may need a moment to meet it.
template <class Call>
Expected<void> until_error(Call call) {
  for (int i = 0; i < 100'000; ++i) {
    if (auto done = call(); !done) return done;
    ::sched_yield();
  }
  return {};
}

TEST(Writer, AFileHoldsEverythingAndTheBooks) {
  const Kept kept = samples::mixed(5000);
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json}) {
    const TemporaryFile file;
    FileHeader header;
    header.attack = "x";
    auto writer = ResultsWriter::to_file(file.path(), header, {.encoding = e});
    ASSERT_TRUE(writer);
    for (std::size_t i = 0; i < kept.size(); i += 50) ASSERT_TRUE((*writer)->take(std::span(kept.rows()).subspan(i, 50)));
    Summary summary;
    summary.books.sent = 5000;
    ASSERT_TRUE((*writer)->finish(summary));
    const auto read = samples::read(file.contents());
    EXPECT_EQ(read.results.size(), 5000u);
    EXPECT_TRUE(read.damage.empty());
    if (e != Encoding::native) continue;
    ASSERT_TRUE(read.runs[0].closing);
    EXPECT_EQ(read.runs[0].closing->results, 5000u);
    EXPECT_EQ(read.runs[0].closing->summary.books.sent, 5000u);
    EXPECT_EQ(read.runs[0].header.attack, "x");
  }
}

TEST(Writer, ATickBringsOutWhatThereIs) {
  const Pipe pipe;
  auto writer = ResultsWriter::to_fd(pipe.in.get(), {});
  ASSERT_TRUE(writer);
  auto reader = open_results(pipe.out.get(), "pipe");
  ASSERT_TRUE(reader) << "the header is out before the first result";
  for (std::size_t n = 1; n <= 3; ++n) {
    const Kept kept = samples::mixed(n);
    ASSERT_TRUE((*writer)->take(kept.rows()));
    ASSERT_TRUE((*writer)->tick());
    const auto rows = (*reader)->next();
    ASSERT_TRUE(rows);
    EXPECT_EQ(rows->size(), n);
  }
}

TEST(Writer, ASlowOutputNeverHoldsUpTheAttack) {
  const Pipe pipe;
  const TemporaryFile folder;
  auto writer = ResultsWriter::to_fd(pipe.in.get(), {}, {.spool_folder = folder.folder(), .queue_bytes = 20'000});
  ASSERT_TRUE(writer);
  const Kept kept = samples::mixed(40'000, 3);
  for (std::size_t i = 0; i < kept.size(); i += 500) ASSERT_TRUE((*writer)->take(std::span(kept.rows()).subspan(i, 500)));  // nobody reads
  const std::uint64_t spooled = (*writer)->spooled();
  EXPECT_GT(spooled, 100'000u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.folder()), {}), 1) << "the spool file has no name";
  std::string all;
  std::thread slow([&] { all = drain(pipe.out.get()); });
  ASSERT_TRUE((*writer)->finish({}));
  const_cast<Fd&>(pipe.in).reset();
  slow.join();
  const auto read = samples::read(all);
  ASSERT_EQ(read.results.size(), kept.size());
  EXPECT_TRUE(read.damage.empty());
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(samples::difference(read.results.rows()[i], kept.rows()[i]), "");
  EXPECT_GE(read.runs[0].closing->spooled_bytes, spooled);
}

TEST(Writer, AnOutputThatFallsBackAndCatchesUp) {
  Pipe pipe;
  const TemporaryFile folder;
  auto writer = ResultsWriter::to_fd(pipe.in.get(), {}, {.encoding = Encoding::json, .spool_folder = folder.folder(), .queue_bytes = 1000});
  ASSERT_TRUE(writer);
  const Kept kept = samples::mixed(20'000, 4, {.times = true, .captures = false, .wild = false});
  std::string all;
  std::thread reader([&] { all = drain(pipe.out.get()); });
  for (std::size_t i = 0; i < kept.size(); i += 20) {
    ASSERT_TRUE((*writer)->take(std::span(kept.rows()).subspan(i, 20)));
    if (i % 1000 == 0) {
      ASSERT_TRUE((*writer)->tick());
    }
  }
  ASSERT_TRUE((*writer)->finish({}));
  pipe.in.reset();
  reader.join();
  EXPECT_EQ(all, samples::encoded(kept.rows(), Encoding::json));
}

TEST(Writer, AReaderThatGoesAwayIsABrokenPipeAndNoSignal) {
  Pipe pipe;
  struct sigaction before{};
  ::sigaction(SIGPIPE, nullptr, &before);
  ASSERT_EQ(before.sa_handler, SIG_DFL) << "or the test shows nothing";
  auto writer = ResultsWriter::to_fd(pipe.in.get(), {});
  ASSERT_TRUE(writer);
  pipe.out.reset();
  const Kept kept = samples::mixed(10);
  const auto error = until_error([&] {
    const auto taken = (*writer)->take(kept.rows());
    return taken ? (*writer)->tick() : taken;
  });
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().kind, ErrorKind::broken_pipe);
  const auto finished = (*writer)->finish({});
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().kind, ErrorKind::broken_pipe);
}

TEST(Writer, AFullDiskIsSaidWithWhatCameOut) {
  auto writer = ResultsWriter::to_file("/dev/full", {}, {.encoding = Encoding::json});
  ASSERT_TRUE(writer);
  const Kept kept = samples::mixed(10);
  const auto error = until_error([&] {
    const auto taken = (*writer)->take(kept.rows());
    return taken ? (*writer)->tick() : taken;
  });
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().kind, ErrorKind::failure);
  EXPECT_EQ(error.error().text, "/dev/full: can't write: No space left on device; 0 results (0 bytes) were written whole");
}

// A file that takes no more than so many bytes, like a disk with as much room.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
    ignored_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, ignored_);
  }

 private:
  rlimit before_{};
  void (*ignored_)(int) = SIG_DFL;
};

TEST(Writer, APieceThatCameOutInPartIsNotCountedAsLost) {
  const Kept kept = samples::mixed(300, 5, {.times = true, .captures = false, .wild = false});
  for (const std::size_t at_once : {300u, 100u}) {
    const TemporaryFile file;
    const std::string first = samples::encoded({kept.rows().begin(), kept.rows().begin() + 100}, Encoding::json);
    Expected<void> error;
    {
      const FileSizeLimit limit(first.size() + 1000);
      auto writer = ResultsWriter::to_file(file.path(), {}, {.encoding = Encoding::json});
      ASSERT_TRUE(writer);
      for (std::size_t i = 0; i < kept.size(); i += at_once) {
        ASSERT_TRUE((*writer)->take(std::span(kept.rows()).subspan(i, at_once)));
        if (i == 0 && !(*writer)->tick()) break;
      }
      error = (*writer)->finish({});
    }
    ASSERT_FALSE(error);
    EXPECT_GT(samples::read(file.contents()).results.size(), 100u);
    const std::string bytes = std::to_string(first.size() + 1000);
    EXPECT_THAT(error.error().text, HasSubstr(at_once == 100 ? "; at least 100 results were written whole (" + bytes + " bytes in all)"
                                                             : "; " + bytes + " bytes were written, and the results"));
  }
}

TEST(Writer, ASpoolThatCannotBeIsSaid) {
  const Pipe pipe;
  auto writer = ResultsWriter::to_fd(pipe.in.get(), {}, {.spool_folder = "/nonexistent", .queue_bytes = 1000});
  ASSERT_TRUE(writer);
  const Kept kept = samples::mixed(1000);
  const auto error = until_error([&] { return (*writer)->take(kept.rows()); });
  ASSERT_FALSE(error);
  EXPECT_THAT(error.error().text, HasSubstr("/nonexistent: can't make a file there to hold results that the output is too slow for"));
}

TEST(Writer, AMissingFolderIsSaid) {
  const auto writer = ResultsWriter::to_file("/nonexistent/x.bin", {});
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().text, "/nonexistent/x.bin: can't create: No such file or directory");
}

TEST(Writer, DestroyedUnfinishedItDoesNotHangOnAStuckReader) {
  const Pipe pipe;
  auto writer = ResultsWriter::to_fd(pipe.in.get(), {}, {.queue_bytes = 1 << 20});
  ASSERT_TRUE(writer);
  const Kept kept = samples::mixed(20'000);
  ASSERT_TRUE((*writer)->take(kept.rows()));
  ASSERT_TRUE((*writer)->tick());
  writer->reset();  // ends though nobody ever reads
}

TEST(Writer, TheOutputsFlagsAreLeftAlone) {
  const Pipe pipe;
  const int before = ::fcntl(pipe.in.get(), F_GETFL);
  auto writer = ResultsWriter::to_fd(pipe.in.get(), {});
  ASSERT_TRUE(writer);
  const Kept kept = samples::mixed(1);
  ASSERT_TRUE((*writer)->take(kept.rows()));
  ASSERT_TRUE((*writer)->tick());
  EXPECT_EQ(::fcntl(pipe.in.get(), F_GETFL), before);
}

// Killed at any moment, what is in the file is readable, and all of it that was handed over a tick ago.
TEST(Writer, KilledItLeavesAReadableFile) {
  const TemporaryFile file;
  const Pipe told;
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = ResultsWriter::to_file(file.path(), {});
    const Kept kept = samples::mixed(3000);
    for (std::size_t i = 0;; i = (i + 10) % 3000) {
      if (!(*writer)->take(std::span(kept.rows()).subspan(i, 10)) || !(*writer)->tick()) ::_exit(1);
      [[maybe_unused]] const ssize_t n = ::write(told.in.get(), "x", 1);
    }
  }
  ASSERT_GT(child, 0);
  char some[200];
  for (std::size_t have = 0; have < sizeof some;) {
    const ssize_t n = ::read(told.out.get(), some, sizeof some - have);
    ASSERT_GT(n, 0);
    have += static_cast<std::size_t>(n);
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto read = samples::read(file.contents());
  EXPECT_EQ(read.error, "");
  EXPECT_LE(read.damage.size(), 1u);
  EXPECT_FALSE(read.runs[0].closing);
}

}  // namespace
}  // namespace thrum
