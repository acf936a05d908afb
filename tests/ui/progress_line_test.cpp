#include "ui/progress_line.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>

#include "base/fd.hpp"

namespace thrum::ui {
namespace {

using namespace std::chrono_literals;

struct Pipe {
  Fd out, in;
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
    out.reset(ends[0]);
    in.reset(ends[1]);
  }
  std::string written() const {
    std::array<char, 4096> buffer{};
    const ssize_t n = ::read(out.get(), buffer.data(), buffer.size());
    return {buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
  }
};

Progress figures(std::uint64_t sent) {
  return {.elapsed = 12'345ms, .due = 1200, .sent = sent, .answered = 1000, .ok = 999, .in_flight = 2, .missed = 5};
}

TEST(ProgressText, SaysWhatWasAskedAndWhatBecameOfIt) {
  EXPECT_EQ(progress_text({.duration = 1min, .closed = false}, figures(1195)),
            "12s of 1m0s  asked 1200  sent 1195  answered 1000  in flight 2  ok 99.90 %  missed 5");
  EXPECT_EQ(progress_text({.duration = 3s, .closed = true}, {.elapsed = 1'290ms, .sent = 1}),
            "1.2s of 3s  sent 1  answered 0  in flight 0");
  EXPECT_EQ(progress_text({.duration = 0s, .closed = true}, figures(1195)), "12s  sent 1195  answered 1000  in flight 2  ok 99.90 %");
}

TEST(ProgressText, RoundsNothingUpToAllAndDividesByNothingNever) {
  Progress p = figures(1);
  p.answered = 100'001;
  p.ok = 100'000;
  EXPECT_THAT(progress_text({}, p), testing::HasSubstr("ok 99.99 %"));
  p.answered = p.ok = 0;
  EXPECT_THAT(progress_text({}, p), testing::Not(testing::HasSubstr("ok")));
}

TEST(ProgressLine, IsALineASecondOutsideATerminal) {
  const Pipe pipe;
  ProgressLine line(pipe.in.get(), false, {.duration = 1min});
  const Instant start = Instant() + 1h;
  line.show(figures(1), start);
  line.show(figures(2), start + 999ms);
  line.show(figures(3), start + 1000ms);
  line.clear();
  const std::string text = pipe.written();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  EXPECT_THAT(text, testing::HasSubstr("sent 3"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\r")));
}

TEST(ProgressLine, IsRewrittenInPlaceWithoutEscapeCodesAndTakenAway) {
  const Pipe pipe;
  ProgressLine line(pipe.in.get(), true, {});
  const Instant start = Instant() + 1h;
  line.show(figures(1'000'000), start);
  line.show(figures(1), start + 200ms);
  std::string text = pipe.written();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 2);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
  EXPECT_EQ(text.size() % 2, 0u) << "the shorter line covers the longer one";
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("\x1b")));
  line.clear();
  text = pipe.written();
  EXPECT_EQ(text.find_first_not_of("\r "), std::string::npos);
  line.clear();
  EXPECT_EQ(pipe.written(), "");
}

TEST(ProgressLine, DoesNotWaitForAFullPipe) {
  const Pipe pipe;
  const std::string filler(1 << 16, 'x');
  while (::write(pipe.in.get(), filler.data(), filler.size()) > 0) {
  }
  ::fcntl(pipe.in.get(), F_SETFL, 0);  // blocking again: show() would hang if it wrote
  ProgressLine line(pipe.in.get(), false, {});
  line.show(figures(1), Instant() + 1h);
}

}  // namespace
}  // namespace thrum::ui
