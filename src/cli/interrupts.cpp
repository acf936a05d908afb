#include "cli/interrupts.hpp"

#include <array>
#include <atomic>
#include <cassert>
#include <csignal>

namespace thrum::cli {
namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

// A handler has no other way to its data.
std::atomic<Interruptible*> current{nullptr};
std::atomic<int> received{0};
static_assert(std::atomic<Interruptible*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

std::array<struct sigaction, kSignals.size()> before;

void on_signal(int) {
  Interruptible* target = current.load();
  if (target == nullptr) return;
  if (received.fetch_add(1) == 0)
    target->stop();
  else
    target->cut();
}

}  // namespace

Interrupts::Interrupts(Interruptible& target) {
  assert(current.load() == nullptr);
  received = 0;
  current = &target;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // a write of results under way is not disturbed; what waits for events wakes up all the same
  sigemptyset(&action.sa_mask);
  for (const int s : kSignals) sigaddset(&action.sa_mask, s);  // one at a time
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    // nohup's wish is respected. An ignored SIGINT is not a wish: scripts' background jobs start so, and are stopped with it.
    if (kSignals[i] == SIGHUP && before[i].sa_handler == SIG_IGN) continue;
    sigaction(kSignals[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
  current = nullptr;
}

int Interrupts::count() { return received.load(); }

}  // namespace thrum::cli
