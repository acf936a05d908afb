// Ctrl-C, SIGTERM and SIGHUP, turned into stop() the first time and cut() from the second time on.
#pragma once

namespace thrum::cli {

// What can be ended from a signal handler: both acts must be safe there.
class Interruptible {
 public:
  virtual ~Interruptible() = default;
  virtual void stop() noexcept = 0;  // no more of it; finish what has begun
  virtual void cut() noexcept = 0;   // at once
};

// For anything that has stop() and cut() of its own, which stays the caller's.
template <class T>
class InterruptibleBy final : public Interruptible {
 public:
  explicit InterruptibleBy(T& target) : target_(target) {}
  void stop() noexcept override { target_.stop(); }
  void cut() noexcept override { target_.cut(); }

 private:
  T& target_;
};

// While it lives, the three signals go to `target`; afterwards they do what they did before. One at a time.
class Interrupts {
 public:
  explicit Interrupts(Interruptible& target);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  static int count();  // signals that came since the last Interrupts was made
};

}  // namespace thrum::cli
