// Runs a command and writes what it and all its descendants took: `measured OUT CPU LIMIT COMMAND…`. It is a small program of its own
// because the kernel hands the peak memory of whoever starts a program on to that program: started by Python, everything would weigh
// Python's 10 MB. OUT gets a line: user and system seconds, peak memory of the largest process in KiB, wall seconds, wait status (as of
// waitpid; -1: over LIMIT).
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

[[noreturn]] void refuse(const char* what) {
  std::perror(what);
  std::exit(127);
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) refuse("measured: CPU");
}

volatile sig_atomic_t over = 0;
pid_t child = 0;
void stop(int) {
  over = 1;
  ::kill(-child, SIGKILL);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return std::fputs("usage: measured OUT CPU LIMIT COMMAND...\n", stderr), 2;
  pin(std::atoi(argv[2]));
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // a process that a child left behind becomes ours, and is counted

  const auto start = std::chrono::steady_clock::now();
  child = ::fork();
  if (child < 0) refuse("measured: fork");
  if (child == 0) {
    ::setpgid(0, 0);
    ::execvp(argv[4], argv + 4);
    std::perror(argv[4]);
    ::_exit(127);
  }
  ::setpgid(child, child);
  struct sigaction action{};
  action.sa_handler = stop;
  ::sigaction(SIGALRM, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  ::alarm(static_cast<unsigned>(std::atoi(argv[3])));

  double user = 0, system = 0, wall = 0;
  long peak = 0;
  int status = 0;
  for (;;) {
    rusage usage{};
    int ended = 0;
    const pid_t pid = ::wait4(-1, &ended, 0, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) break;
    user += seconds(usage.ru_utime);
    system += seconds(usage.ru_stime);
    peak = std::max(peak, usage.ru_maxrss);
    if (pid != child) continue;
    status = ended;
    wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ::kill(-child, SIGKILL);  // what it left running has no end of its own
  }
  std::FILE* out = std::fopen(argv[1], "w");
  if (out == nullptr) refuse(argv[1]);
  std::fprintf(out, "%.6f %.6f %ld %.6f %d\n", user, system, peak, wall, over != 0 ? -1 : status);
  return std::fclose(out) == 0 ? 0 : 1;
}
