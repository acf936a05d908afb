#include "targets/input.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "base/fd.hpp"
#include "lists.hpp"

namespace thrum::targets {
namespace {

// A pipe in the place of standard input, which is put back.
class StdinPipe {
 public:
  StdinPipe() : saved_(::dup(STDIN_FILENO)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    writer_.reset(ends[1]);
  }
  ~StdinPipe() { ::dup2(saved_.get(), STDIN_FILENO); }
  StdinPipe(const StdinPipe&) = delete;
  StdinPipe& operator=(const StdinPipe&) = delete;

  void write(std::string_view text) const {
    EXPECT_EQ(::write(writer_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close() { writer_.reset(); }

 private:
  Fd saved_, writer_;
};

TEST(Input, ASlowPipeGivesEachTargetWhenItIsWhole) {
  StdinPipe pipe;
  const auto source = stream_targets("-", TargetFormat::http);
  ASSERT_TRUE(source);
  Target target;
  pipe.write("GET http://a/1\nX-A: 1\n\n");
  ASSERT_TRUE(*(*source)->next(target));  // the blank line ends it: nothing more is waited for
  EXPECT_EQ(target.headers.size(), 1u);
  pipe.write("GET http://a/2\n@/dev/null\n");
  ASSERT_TRUE(*(*source)->next(target));  // so does the body
  EXPECT_EQ(target.url, "http://a/2");
  pipe.write("GET http://a/3\nGET htt");
  std::thread later([&] {
    pipe.write("p://a/4\n");
    pipe.close();
  });
  ASSERT_TRUE(*(*source)->next(target));
  EXPECT_EQ(target.url, "http://a/3");
  ASSERT_TRUE(*(*source)->next(target));
  EXPECT_EQ(target.url, "http://a/4");
  EXPECT_FALSE(*(*source)->next(target));
  later.join();
}

TEST(Input, JsonFromAPipeIsGivenAtItsLastBrace) {
  StdinPipe pipe;
  const auto source = stream_targets("stdin", TargetFormat::json);
  Target target;
  pipe.write("[{\"method\":\"GET\",\"url\":\"http://a/1\"}");
  ASSERT_TRUE(*(*source)->next(target));
  EXPECT_EQ(target.url, "http://a/1");
  pipe.write(",1");
  pipe.close();
  EXPECT_THAT((*source)->next(target).error().text, testing::StartsWith("stdin:1: "));
}

TEST(Input, ADescriptorThatDoesNotBlockIsWaitedFor) {
  StdinPipe pipe;
  ASSERT_EQ(::fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK), 0);
  const auto source = stream_targets("-");
  std::thread later([&] {
    pipe.write("GET http://a/1\n");
    pipe.close();
  });
  Target target;
  EXPECT_TRUE(*(*source)->next(target));
  later.join();
}

TEST(Input, AReaderThatWaitsCanBeInterrupted) {
  struct Case {
    TargetFormat format;
    std::string_view started;
  };
  const Case cases[] = {
      {TargetFormat::http, ""}, {TargetFormat::http, "GET http://a/1\nX-"}, {TargetFormat::http, "GET http://a/1\n"},
      {TargetFormat::json, ""}, {TargetFormat::json, "{\"method\":\"GE"},   {TargetFormat::json, "[{\"x\":[tr"},
  };
  for (const Case& c : cases) {
    StdinPipe pipe;
    const auto source = stream_targets("-", c.format);
    pipe.write(c.started);
    Target target;
    std::atomic<bool> begun = false;
    std::thread reader([&] {
      begun = true;
      const auto more = (*source)->next(target);
      EXPECT_TRUE(more && !*more) << c.started << (more ? "" : more.error().text);
    });
    while (!begun) std::this_thread::yield();
    (*source)->interrupt();
    reader.join();
    pipe.write("GET http://a/2\n\n");
    EXPECT_FALSE(*(*source)->next(target));
  }
}

TEST(Input, ErrorsOfReadingAreErrors) {
  const Fd saved(::dup(STDIN_FILENO));
  const Fd folder(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::dup2(folder.get(), STDIN_FILENO);
  EXPECT_EQ(read_targets("-").error().text, "stdin: is a directory");
  EXPECT_EQ(read_targets("-", TargetFormat::json).error().text, "stdin: is a directory");
  ::dup2(saved.get(), STDIN_FILENO);
}

TEST(Input, NamesInErrorsAreSafeForATerminal) {
  Folder folder;
  const std::string list = folder.write("a\x1b[2Jb", "BAD\n");
  EXPECT_EQ(read_targets(list).error().text.find('\x1b'), std::string::npos);
  EXPECT_EQ(read_targets(folder.path("no\x1bne")).error().text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace thrum::targets
