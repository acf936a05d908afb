// A stream of targets takes no more memory the longer it lasts: every allocation of this program is counted.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>

#include "base/fd.hpp"
#include "targets/targets.hpp"

namespace {

std::atomic<std::int64_t> live{0}, peak{0};

void* counted(std::size_t n) {
  void* p = std::malloc(n);
  if (p == nullptr) throw std::bad_alloc();
  const auto size = static_cast<std::int64_t>(malloc_usable_size(p));
  const std::int64_t now = live.fetch_add(size) + size;
  for (std::int64_t seen = peak; seen < now && !peak.compare_exchange_weak(seen, now);) {
  }
  return p;
}

void uncounted(void* p) {
  if (p != nullptr) live -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return counted(n); }
void* operator new[](std::size_t n) { return counted(n); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted(n); }
void operator delete(void* p) noexcept { uncounted(p); }
void operator delete[](void* p) noexcept { uncounted(p); }
void operator delete(void* p, std::size_t) noexcept { uncounted(p); }
void operator delete[](void* p, std::size_t) noexcept { uncounted(p); }

namespace thrum::targets {
namespace {

// Writes `text` until nobody reads any more.
void write_for_ever(int fd, const std::string& text) {
  while (::write(fd, text.data(), text.size()) > 0) {
  }
}

void expect_flat(TargetFormat format, const std::string& text) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  Fd reading(ends[0]), writing(ends[1]);
  auto source = stream_targets("/dev/fd/" + std::to_string(reading.get()), format);
  ASSERT_TRUE(source);
  reading.reset();
  std::thread writer([&] { write_for_ever(writing.get(), text); });
  Target target;
  const auto read = [&](int n) {
    for (int i = 0; i < n; ++i) {
      const auto more = (*source)->next(target);
      if (!more || !*more) return false;
    }
    return true;
  };
  EXPECT_TRUE(read(2'000));
  const std::int64_t before = peak;
  EXPECT_TRUE(read(200'000));
  EXPECT_LE(peak - before, 1024);
  EXPECT_LT(before, 1 << 20);
  source->reset();
  writer.join();
}

TEST(Memory, AnEndlessStreamOfHttpTargetsStaysFlat) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "POST http://a/" + std::to_string(i) + "\nX-Number: " + std::string(50, 'n') + "\n@/dev/null\n\n# c\n";
  expect_flat(TargetFormat::http, text);
}

TEST(Memory, AnEndlessStreamOfJsonTargetsStaysFlat) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += R"({"method":"POST","url":"http://a/)" + std::to_string(i) + R"(","header":{"A":[")" + std::string(50, 'n') +
            "\"],\"A\":\"2\"},\"body\":\"aGVsbG8=\"}\n";
  expect_flat(TargetFormat::json, text);
}

}  // namespace
}  // namespace thrum::targets
