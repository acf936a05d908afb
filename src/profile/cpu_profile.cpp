#include "profile/cpu_profile.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <span>
#include <thread>
#include <vector>

#include "profile/stack.hpp"

namespace thrum::profile {
namespace {

constexpr std::uintptr_t kPeriod = 10'000;  // µs of CPU
// Pages are taken as they are needed; full after hours of CPU. Then samples are only counted.
constexpr std::size_t kWords = std::size_t{128} << 20 >> 3;

// A handler has no other way to its data. Samples stand one after the other, each led by its depth.
std::uintptr_t* words = nullptr;
std::atomic<std::size_t> used{0};
std::atomic<std::uint64_t> taken{0}, in_handler{0};
std::atomic<bool> is_on{false};
struct sigaction before;

std::uintptr_t pc_of(const void* context) {
  [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return machine.pc;
#else
#error "where does this processor keep its program counter?"
#endif
}

void on_sample(int, siginfo_t*, void* context) {
  const int saved = errno;
  in_handler.fetch_add(1);
  if (is_on.load()) {
    const Stack stack = from(pc_of(context));
    const std::size_t at = used.fetch_add(stack.depth + 1);
    if (at + stack.depth + 1 <= kWords) {
      words[at] = stack.depth;
      std::memcpy(words + at + 1, stack.calls.data(), stack.depth * sizeof(std::uintptr_t));
    }
    taken.fetch_add(1);
  }
  in_handler.fetch_sub(1);
  errno = saved;
}

void append(std::string& out, std::uintptr_t word) { out.append(reinterpret_cast<const char*>(&word), sizeof word); }

}  // namespace

Expected<std::unique_ptr<CpuProfile>> CpuProfile::start() {
  if (words != nullptr) return failure("a CPU profile is being made already");
  void* const memory =
      ::mmap(nullptr, kWords * sizeof(std::uintptr_t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return failure(fmt::format("no memory for a CPU profile: {}", std::strerror(errno)));
  words = static_cast<std::uintptr_t*>(memory);
  used = 0;
  taken = 0;
  prepare_stacks();
  is_on = true;
  struct sigaction action{};
  action.sa_sigaction = on_sample;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(SIGPROF, &action, &before);
  const itimerval timer{.it_interval = {0, kPeriod}, .it_value = {0, kPeriod}};
  ::setitimer(ITIMER_PROF, &timer, nullptr);
  std::unique_ptr<CpuProfile> profile(new CpuProfile);
  profile->is_running_ = true;
  return profile;
}

CpuProfile::~CpuProfile() {
  stop();
  ::munmap(words, kWords * sizeof(std::uintptr_t));
  words = nullptr;
}

std::uint64_t CpuProfile::samples() const { return taken.load(); }

void CpuProfile::stop() {
  if (!is_running_) return;
  is_running_ = false;
  const itimerval none{};
  ::setitimer(ITIMER_PROF, &none, nullptr);
  is_on = false;
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;  // one that is on its way is dropped: its default would end the process
  sigaction(SIGPROF, &ignore, nullptr);
  if (before.sa_handler != SIG_DFL) sigaction(SIGPROF, &before, nullptr);
  while (in_handler.load() != 0) std::this_thread::yield();
}

// Header, samples, trailer, mappings (gperftools' doc/cpuprofile-fileformat).
std::string CpuProfile::finish() {
  stop();
  std::map<std::vector<std::uintptr_t>, std::uintptr_t> stacks;
  for (std::size_t at = 0; at < used && at + words[at] + 1 <= kWords && words[at] != 0; at += words[at] + 1) {
    const std::span<const std::uintptr_t> calls(words + at + 1, words[at]);
    ++stacks[{calls.begin(), calls.end()}];
  }
  std::string out;
  for (const std::uintptr_t word : {std::uintptr_t{0}, std::uintptr_t{3}, std::uintptr_t{0}, kPeriod, std::uintptr_t{0}}) append(out, word);
  for (const auto& [calls, count] : stacks) {
    append(out, count);
    append(out, calls.size());
    for (const std::uintptr_t pc : calls) append(out, pc);
  }
  for (const std::uintptr_t word : {0, 1, 0}) append(out, word);
  return out + mappings();
}

}  // namespace thrum::profile
