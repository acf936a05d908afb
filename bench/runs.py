"""One run of one tool: what it took by the kernel's own account, and what the server saw of it."""
import dataclasses
import os
import re
import shutil
import subprocess

from tools import Ask, Cannot


@dataclasses.dataclass
class Run:
    cpu_ms: float  # user and system, of all threads and processes
    peak_mb: float  # of the largest process
    wall: float  # seconds
    served: int  # by the server's count
    reported: int | None  # by the tool's own

    @property
    def cpu_per_1000(self):
        return self.cpu_ms * 1000 / self.served

    @property
    def rate(self):
        return self.served / self.wall


class Bench:
    """Where runs happen: the servers, the launcher, the client's core."""

    def __init__(self, servers, launcher, cpu, work):
        self.servers, self.launcher, self.cpu, self.work = servers, launcher, cpu, work

    def ask(self, workload, seconds):
        port, url = self.servers.address(workload)
        return Ask(workload, seconds * workload.longer, url, port, self.work)

    def run(self, tool, workload, seconds, around=()):
        """Runs the tool once; `around` are words before its command. Raises Cannot if it fails."""
        ask = self.ask(workload, seconds)
        command = [*around, *tool.command(ask)]
        limit = 3600 if workload.count else round(ask.seconds) + 60
        before = self.servers.settled_count(workload)
        took, output = os.path.join(self.work, "took"), os.path.join(self.work, "stdout")
        with open(output, "wb") as out, open(os.path.join(self.work, "stderr"), "wb") as err:
            subprocess.run([self.launcher, took, str(self.cpu), str(limit), *command], stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False, cwd=self.work)
        with open(took, encoding="utf-8") as line:
            user, system, peak, wall, status = line.read().split()
        if status == "-1":
            raise Cannot(f"it was not done after {limit} s")
        if status != "0":
            raise Cannot(f"it failed: {self.last_word()}")
        served = self.servers.settled_count(workload) - before
        if served <= 0:
            raise Cannot("the server saw nothing of it")
        with open(output, encoding="utf-8", errors="replace") as text:
            try:
                reported = tool.reported(ask, text.read())
            except (ValueError, KeyError, OSError):
                reported = None
        return Run((float(user) + float(system)) * 1000, int(peak) / 1024, float(wall), served, reported)

    def last_word(self):
        for name in ("stderr", "stdout"):
            with open(os.path.join(self.work, name), encoding="utf-8", errors="replace") as text:
                lines = [line.strip() for line in text if line.strip()]
            if lines:
                return lines[-1][:200]
        return "it said nothing"

    def calls_per_request(self, tool, workload, seconds):
        """System calls of a run over the requests it made: counted in the kernel by perf, else by strace, which slows a tool down."""
        out = os.path.join(self.work, "calls")
        perf = ["perf", "stat", "-x,", "-e", "raw_syscalls:sys_enter", "-o", out]
        if shutil.which("perf") and subprocess.run([*perf, "true"], capture_output=True, check=False).returncode == 0:
            run = self.run(tool, workload, seconds, around=perf)
            with open(out, encoding="utf-8") as text:
                return int(re.search(r"^(\d+),", text.read(), re.M).group(1)) / run.served
        if not shutil.which("strace"):
            raise Cannot("neither perf nor strace can count system calls here")
        run = self.run(tool, workload, seconds, around=["strace", "-f", "-c", "-o", out])
        with open(out, encoding="utf-8") as text:
            return int(re.search(r"^\s*100\.00\s+\S+(?:\s+\S+)?\s+(\d+)(?:\s+\d+)?\s+total", text.read(), re.M).group(1)) / run.served
