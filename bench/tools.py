"""How thrum, its peers and the floor clients are told to do a workload, and where each says how many requests it counted.

A tool's `command` gives the words, or raises Cannot with the reason it can't do a workload. Every tool runs on one core, in one thread
where it has a flag for that, and follows no redirects: there are none. Timeouts are the tools' own.
"""
import dataclasses
import json
import os
import re
import shutil
import subprocess

from workloads import CLOSED, COUNT, HTTP2, PACED, PIPE, PLAIN, TLS


class Cannot(Exception):
    """Why a tool can't do a workload."""


@dataclasses.dataclass(frozen=True)
class Ask:
    workload: object
    seconds: float
    url: str
    port: int
    work: str | None  # a folder for files; None: nothing is written, only the words of the command are wanted

    def file(self, name, text):
        path = os.path.join(self.work or "", name)
        if self.work is None:
            return path
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        return path

    def body(self):
        return self.file("body", "x" * self.workload.body)

    def whole_seconds(self):
        return max(1, round(self.seconds))

    def only(self, *kinds):
        if self.workload.kind not in kinds:
            raise Cannot({PACED: "it keeps to no rate", PIPE: "it has no attack | report", COUNT: "it takes no count of requests"}[self.workload.kind])


class Tool:
    """Found by its name among what scripts/setup --peers installs, then on the PATH."""

    name = ""
    version_words = ("--version",)

    def __init__(self, folders=()):
        places = [*folders, os.environ.get("PATH", ""), os.path.expanduser("~/go/bin"), os.path.expanduser("~/.cargo/bin")]
        self.program = shutil.which(self.name, path=os.pathsep.join(places))

    def version(self):
        done = subprocess.run([self.program, *self.version_words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        found = re.search(r"\d+\.\d+(\.\d+)?[-+\w.]*", done.stdout + done.stderr)
        return found.group() if found else "unknown"

    def command(self, ask):
        raise NotImplementedError

    def reported(self, ask, stdout):
        """What the tool says it did, in requests answered; None where it doesn't say."""
        raise NotImplementedError


def lines_of(pattern, text):
    return sum(int(n) for n in re.findall(pattern, text, re.M))


class Attacker(Tool):
    """thrum and vegeta: the same commands, each with flags of its own."""

    def attack(self, ask):
        w = ask.workload
        words = [self.program, "attack", f"-targets={self.targets(ask)}", *self.own(w)]
        if w.server != PLAIN:
            words.append("-insecure")
        if not w.keepalive:
            words.append("-keepalive=false")
        if w.kind == COUNT:
            words += self.count(w)
        else:
            words.append(f"-duration={ask.seconds:g}s")
        if w.rate:
            words.append(f"-rate={w.rate}")
        else:
            words += ["-rate=0", f"-max-workers={w.in_flight()}"]
        return words

    def targets(self, ask):
        if ask.workload.body:
            return ask.file("targets", f"POST {ask.url}\nContent-Type: application/json\n@{ask.body()}\n")
        return ask.file("targets", f"GET {ask.url}\n")

    def command(self, ask):
        words = self.attack(ask)
        results = os.path.join(ask.work or "", "results")
        if ask.workload.kind == PIPE:
            return ["sh", "-c", f"{' '.join(words)} | {self.program} report"]
        return [*words, f"-output={results}"]

    def reported(self, ask, stdout):
        if ask.workload.kind == PIPE:
            found = re.search(r"^Requests\s+\[total, rate, throughput\]\s+(\d+)", stdout, re.M)
            return int(found.group(1)) if found else None
        done = subprocess.run([self.program, "report", "-type=json", os.path.join(ask.work, "results")], capture_output=True, text=True, check=False)
        codes = json.loads(done.stdout)["status_codes"] if done.returncode == 0 else {}
        return sum(n for code, n in codes.items() if code != "0") if codes else None


class Thrum(Attacker):
    name = "thrum"
    version_words = ("version",)

    def __init__(self, program):
        super().__init__()
        self.program = program

    def version(self):
        said = subprocess.run([self.program, "version"], capture_output=True, text=True, check=False).stdout
        commit = re.search(r"^Commit: ([0-9a-f]{7})", said, re.M)
        return super().version() + (f" ({commit.group(1)})" if commit else "")

    def own(self, w):
        words = ["-cpus=1"]
        if w.server == TLS:
            words.append("-http2=false")
        if w.server == HTTP2:
            words += [f"-max-connections={w.connections}", f"-streams={w.streams}"]
        return words

    def count(self, w):
        return [f"-n={w.count}"]


class Vegeta(Attacker):
    name = "vegeta"
    version_words = ("-version",)

    def own(self, w):
        words = [f"-workers={w.in_flight()}", f"-connections={w.connections}"]
        if w.server == TLS:
            words.append("-http2=false")
        return words

    def count(self, w):
        raise Cannot("it takes no count of requests")

    def version(self):
        return go_module_version(self.program) or super().version()


class Wrk(Tool):
    name = "wrk"
    version_words = ("-v",)

    def command(self, ask):
        w = ask.workload
        ask.only(CLOSED)
        if w.server == HTTP2:
            raise Cannot("it has no HTTP/2")
        words = [self.program, "-t1", f"-c{w.connections}", f"-d{ask.whole_seconds()}s"]
        if not w.keepalive:
            words += ["-H", "Connection: close"]
        if w.body:
            words += ["-s", ask.file("post.lua", f'wrk.method = "POST"\nwrk.body = string.rep("x", {w.body})\nwrk.headers["Content-Type"] = "application/json"\n')]
        return [*words, ask.url]

    def reported(self, ask, stdout):
        return lines_of(r"^\s*(\d+) requests in", stdout)


class H2load(Tool):
    name = "h2load"

    def command(self, ask):
        w = ask.workload
        ask.only(CLOSED, PACED, COUNT)
        if not w.keepalive:
            raise Cannot("it keeps its connections")
        words = [self.program, "-t1", f"-c{w.connections}", f"-m{w.streams}"]
        words += [f"-n{w.count}"] if w.kind == COUNT else ["-D", str(ask.whole_seconds())]
        if w.server != HTTP2:
            words.append("--h1")
        if w.rate:
            words.append(f"--rps={w.rate / w.connections:g}")
        if w.body:
            words += ["-d", ask.body()]
        return [*words, ask.url]

    def reported(self, ask, stdout):
        return lines_of(r"^requests: .*?(\d+) done", stdout)


class Hey(Tool):
    name = "hey"

    def version(self):
        return go_module_version(self.program) or "unknown"

    def command(self, ask):
        w = ask.workload
        ask.only(CLOSED, PACED, COUNT)
        words = [self.program, "-c", str(w.in_flight()), *(["-n", str(w.count)] if w.kind == COUNT else ["-z", f"{ask.seconds:g}s"])]
        if w.rate:
            words += ["-q", f"{w.rate / w.connections:g}"]
        if w.server == HTTP2:
            words.append("-h2")
        if not w.keepalive:
            words.append("-disable-keepalive")
        if w.body:
            words += ["-m", "POST", "-T", "application/json", "-D", ask.body()]
        return [*words, ask.url]

    def reported(self, ask, stdout):
        return lines_of(r"^\s+\[\d+\]\s+(\d+) responses", stdout)


class Oha(Tool):
    name = "oha"

    def command(self, ask):
        w = ask.workload
        ask.only(CLOSED, PACED, COUNT)
        words = [self.program, "--no-tui", "--output-format", "json", "--redirect", "0", "-c", str(w.connections)]
        words += ["-n", str(w.count)] if w.kind == COUNT else ["-z", f"{round(ask.seconds * 1000)}ms"]
        if w.rate:
            words += ["-q", str(w.rate)]
        if w.server != PLAIN:
            words.append("--insecure")
        if w.server == HTTP2:
            words += ["--http2", "-p", str(w.streams)]
        if not w.keepalive:
            words.append("--disable-keepalive")
        if w.body:
            words += ["-m", "POST", "-T", "application/json", "-D", ask.body()]
        return [*words, ask.url]

    def reported(self, ask, stdout):
        return sum(json.loads(stdout)["statusCodeDistribution"].values())


class Bombardier(Tool):
    name = "bombardier"

    def version(self):
        return go_module_version(self.program) or "unknown"

    def command(self, ask):
        w = ask.workload
        ask.only(CLOSED, PACED, COUNT)
        words = [self.program, "-o", "json", "-p", "result", "-l", "-c", str(w.in_flight())]
        words += ["-n", str(w.count)] if w.kind == COUNT else ["-d", f"{ask.seconds:g}s"]
        if w.rate:
            words += ["-r", str(w.rate)]
        if w.server != PLAIN:
            words.append("-k")
        if w.server == HTTP2:
            words.append("--http2")
        if not w.keepalive:
            words += ["-H", "Connection: close"]  # its default client heeds no flag for that
        if w.body:
            words += ["-m", "POST", "-H", "Content-Type: application/json", "-f", ask.body()]
        return [*words, ask.url]

    def reported(self, ask, stdout):
        result = json.loads(stdout)["result"]
        return sum(result[f"req{n}xx"] for n in range(1, 6))


class K6(Tool):
    name = "k6"
    version_words = ("version",)

    def command(self, ask):
        ask.only(CLOSED, PACED, COUNT)
        if ask.workload.in_flight() > 5000:
            raise Cannot("it takes most of a minute, and more than a gigabyte, to start so many users")
        return [self.program, "run", "--quiet", "--no-usage-report", "--summary-export", os.path.join(ask.work or "", "k6.json"), ask.file("k6.js", self.script(ask))]

    @staticmethod
    def script(ask):
        w = ask.workload
        if w.kind == COUNT:
            load = {"executor": "shared-iterations", "vus": w.in_flight(), "iterations": w.count, "maxDuration": "3h"}
        elif w.kind == PACED:
            load = {"executor": "constant-arrival-rate", "rate": w.rate, "timeUnit": "1s", "duration": f"{ask.seconds:g}s", "preAllocatedVUs": w.connections, "maxVUs": 4 * w.connections}
        else:
            load = {"executor": "constant-vus", "vus": w.in_flight(), "duration": f"{ask.seconds:g}s", "gracefulStop": "2s"}
        options = {"discardResponseBodies": True, "insecureSkipTLSVerify": True, "noConnectionReuse": not w.keepalive,
                   "summaryTrendStats": ["p(50)", "p(90)", "p(95)", "p(99)", "p(99.9)"], "scenarios": {"load": load}}
        params = {"headers": {"Content-Type": "application/json"}} if w.body else {}
        call = f"http.post(url, body, {json.dumps(params)})" if w.body else "http.get(url)"
        return f"""import http from "k6/http";
export const options = {json.dumps(options)};
const url = {json.dumps(ask.url)}, body = "x".repeat({w.body});
export default function () {{ {call}; }}
"""

    def reported(self, ask, stdout):
        with open(os.path.join(ask.work, "k6.json"), encoding="utf-8") as summary:
            return int(json.load(summary)["metrics"]["http_reqs"]["count"])


class Pepe(Tool):
    name = "pepe"

    def version(self):
        # The package without its binary, which it fetches at its first run, has a version of its own.
        done = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Cannot("its package could not fetch the binary")
        return super().version()

    def command(self, ask):
        w = ask.workload
        ask.only(CLOSED, PACED, COUNT)
        if w.server == HTTP2:
            raise Cannot("it has no flag for HTTP/2")
        words = [self.program, ask.url, "--json", "-c", str(w.in_flight()), *(["-n", str(w.count)] if w.kind == COUNT else ["-z", f"{ask.seconds:g}s"])]
        if w.rate:
            words += ["--rate", str(w.rate)]
        if w.server != PLAIN:
            words.append("-k")
        if not w.keepalive:
            words.append("--disable-keepalive")
        if w.body:
            words += ["-m", "POST", "-H", "Content-Type: application/json", "-d", "x" * w.body]
        return words

    def reported(self, ask, stdout):
        return None


class Floor(Tool):
    """Our own clients that do no more than send and receive: what the kernel takes."""

    version_words = ()

    def version(self):
        return "of this tree"

    def command(self, ask):
        w = ask.workload
        ask.only(CLOSED)
        if w.server != PLAIN or w.streams > 1 or not w.keepalive:
            raise Cannot("it is for plain HTTP")
        return [self.program, str(ask.port), w.path, str(w.connections), f"{ask.seconds:g}", *([str(w.body)] if w.body else [])]

    def reported(self, ask, stdout):
        return int(stdout) + 1  # the request it learned the answer's length from


class FloorEpoll(Floor):
    name = "floor-epoll"


class FloorUring(Floor):
    name = "floor-uring"


def go_module_version(program):
    """What go built into a program: the version of its module."""
    if not shutil.which("go"):
        return None
    build = subprocess.run(["go", "version", "-m", program], capture_output=True, text=True, check=False).stdout
    found = re.search(r"^\s+mod\s+\S+\s+v(\S+)", build, re.M)
    return found.group(1) if found else None


PEERS = [FloorEpoll, FloorUring, Wrk, Pepe, H2load, Oha, Bombardier, Hey, Vegeta, K6]
