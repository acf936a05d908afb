"""The gate: a candidate against the last tagged build, in alternating pairs. It fails where CPU or memory went up by more than 5 %."""
import os
import shutil
import subprocess

import figures
from tools import Thrum
from workloads import by_name

LIMIT = 0.05
PAIRS, SECONDS = 11, 1
GATED = ["16B-64", "16B-1000", "256KiB", "post", "tls-16B", "http2", "paced-20000", "pipe-8000"]


class NoBaseline(Exception):
    """There is nothing to compare with."""


def last_tag(root):
    done = subprocess.run(["git", "-C", root, "describe", "--tags", "--abbrev=0"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or None


def baseline(root, say):
    """The binary of the last tag, built once into build/bench/TAG."""
    tag = last_tag(root)
    if not tag:
        raise NoBaseline("no tag yet, so there is no last release to compare with; --against BINARY names another build")
    folder = os.path.join(root, "build/bench", tag.replace("/", "-"))
    binary = os.path.join(folder, "build/release/bin/thrum")
    if not os.path.exists(binary):
        say(f"building {tag} into {folder}")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        archive = subprocess.run(["git", "-C", root, "archive", tag], check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        for words in (["cmake", "--preset", "release"], ["cmake", "--build", "--preset", "release", "--target", "thrum"]):
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise NoBaseline(f"{tag} could not be built: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
    return binary


class Build(Thrum):
    """thrum under another name."""

    def __init__(self, name, program):
        super().__init__(program)
        self.name = name


def verdict(pairs):
    """[(what, median, low, high, failed)] of pairs [(candidate Run, baseline Run)]."""
    rows = []
    for what, value in (("CPU", lambda r: r.cpu_per_1000), ("memory", lambda r: r.peak_mb)):
        found = figures.ratio([value(a) for a, _ in pairs], [value(b) for _, b in pairs])
        rows.append((what, *found, figures.past(LIMIT, found)))
    return rows


def run(bench, candidate, against, names, say):
    """Whether nothing went up by more than the limit."""
    new, old = Build("candidate", candidate), Build("baseline", against)
    good = True
    for name in names or GATED:
        workload = by_name(name)
        pairs = [(bench.run(new, workload, SECONDS), bench.run(old, workload, SECONDS)) for _ in range(PAIRS)]
        for what, middle, low, high, failed in verdict(pairs):
            say(f"{name:12} {what:6} {middle:.3f} of what it was ({low:.3f} to {high:.3f}){'   TOO MUCH' if failed else ''}")
            good = good and not failed
    return good
