"""Tests of scripts/bench: bench_test.py BIN-FOLDER, where bench_server and bench_measured are."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.join(ROOT, "bench"))

import figures  # noqa: E402
import gate  # noqa: E402
import plan  # noqa: E402
import tables  # noqa: E402
import tools  # noqa: E402
from results import CALLS, SKIPS, Results  # noqa: E402
from runs import Bench, Run  # noqa: E402
from servers import Servers  # noqa: E402
from workloads import COUNT, WORKLOADS, Workload, by_name  # noqa: E402

BIN = ""


class Figures(unittest.TestCase):
    def test_intervals_by_rank(self):
        # By the binomial distribution: 11 values, third from either end, 1 - 2 (1 + 11 + 55) / 2048.
        low, high, coverage = figures.rank_interval([11, 3, 7, 1, 9, 5, 2, 8, 4, 10, 6])
        self.assertEqual((low, high), (3, 9))
        self.assertAlmostEqual(coverage, 1 - 2 * 67 / 2048)
        # Too few for 90 %: all of them, and no more is claimed.
        self.assertEqual(figures.rank_interval([3, 1, 2]), (1, 3, 0.75))
        self.assertEqual(figures.rank_interval([5]), (5, 5, 0.0))
        self.assertEqual(figures.rank_interval([1, 2, 3, 4, 5])[:2], (1, 5))
        with self.assertRaises(ValueError):
            figures.rank_interval([])

    def test_ratios_are_of_pairs(self):
        # A machine that slows down to a half between pairs changes no ratio.
        self.assertEqual(figures.ratio([1, 2, 4], [2, 4, 8]), (0.5, 0.5, 0.5))
        self.assertEqual(figures.ratio([1, 3, 2], [1, 1, 1]), (2, 1, 3))
        self.assertIsNone(figures.ratio([1], [0]))
        with self.assertRaises(ValueError):
            figures.ratio([1], [1, 2])

    def test_counts(self):
        self.assertEqual(figures.uncounted(1000, 1000, 0), 0)
        self.assertEqual(figures.uncounted(1000, 940, 64), 0)
        self.assertEqual(figures.uncounted(1000, 900, 64), 36)
        self.assertEqual(figures.uncounted(1000, 1001, 64), -1)

    def test_what_is_a_loss(self):
        for figure, lost in (((1.06, 1.01, 1.2), True), ((1.06, 0.99, 1.2), False), ((1.04, 1.02, 1.05), False), ((0.5, 0.4, 0.6), False), (None, False)):
            self.assertEqual(figures.past(0.05, figure), lost, figure)


class Plans(unittest.TestCase):
    def test_quick_is_at_most_half_an_hour_with_every_tool(self):
        self.assertLessEqual(plan.seconds(plan.chosen(None, plan.QUICK), plan.QUICK), 30 * 60)

    def test_choices(self):
        all_ = [p.name for p in tools.PEERS]
        self.assertEqual([w.name for w, _ in plan.chosen(None, plan.FULL)], [w.name for w in WORKLOADS])
        self.assertEqual(plan.chosen(["16B-64,wrk"], plan.QUICK), [(by_name("16B-64"), ["wrk"])])
        self.assertEqual(plan.chosen(["5MB"], plan.QUICK), [(by_name("5MB"), all_)])
        self.assertEqual({tuple(names) for _, names in plan.chosen([",vegeta"], plan.QUICK)}, {("vegeta",)})
        self.assertEqual(plan.chosen(["10million"], plan.QUICK)[0][0].count, 10_000_000)
        for wrong in ("nothing", "16B-64,nothing", ",nothing"):
            with self.assertRaises(plan.BadChoice):
                plan.chosen([wrong], plan.QUICK)

    def test_the_list_names_every_workload_and_peer(self):
        done = subprocess.run([os.path.join(ROOT, "scripts/bench"), "--quick", "--list"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in [w.name for w in WORKLOADS if w.quick] + [p.name for p in tools.PEERS]:
            self.assertIn(f"{name} ", done.stdout)
        self.assertRegex(done.stdout.splitlines()[-1], r"^about \d+ minutes with the tools that are here, \d+ with all$")

    def test_wrong_words_are_refused_in_one_line(self):
        for words, what in ((["--only", "x"], "no workload x"), (["--against", "thrum"], "give both"), (["--table", "--out", "/nowhere"], "no results in /nowhere"),
                            (["--thrum", "/nowhere", "--quick"], "/nowhere is not there"), (["--gate", "--against", "/nowhere"], "is not there")):
            done = subprocess.run([os.path.join(ROOT, "scripts/bench"), *words], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), words)
            self.assertIn(what, done.stderr)

    def test_gated_workloads_are_workloads(self):
        self.assertTrue(all(by_name(name) for name in gate.GATED))


class Commands(unittest.TestCase):
    def command(self, kind, workload):
        tool = kind("/bin/thrum") if kind is tools.Thrum else kind()
        tool.program = tool.name
        return " ".join(tool.command(tools.Ask(workload, 1, "https://127.0.0.1:1/16", 1, None)))

    def test_what_each_tool_is_told(self):
        rows = [
            (tools.Thrum, "16B-64", "thrum attack -targets=targets -cpus=1 -duration=1s -rate=0 -max-workers=64 -output=results"),
            (tools.Thrum, "http2", "-max-connections=10 -streams=10 -insecure -duration=1s -rate=0 -max-workers=100"),
            (tools.Thrum, "handshake", "-http2=false -insecure -keepalive=false"),
            (tools.Thrum, "10million", "-n=10000000"),
            (tools.Thrum, "pipe-8000", "sh -c thrum attack -targets=targets -cpus=1 -duration=1s -rate=8000 | thrum report"),
            (tools.Vegeta, "paced-2000", "-workers=64 -connections=64 -duration=1s -rate=2000"),
            (tools.Wrk, "16B-1000", "wrk -t1 -c1000 -d1s"),
            (tools.Wrk, "post", "-s post.lua"),
            (tools.H2load, "http2", "h2load -t1 -c10 -m10 -D 1 https"),
            (tools.H2load, "paced-20000", "--h1 --rps=312.5"),
            (tools.Hey, "paced-2000", "hey -c 64 -z 1s -q 31.25"),
            (tools.Oha, "http2", "-c 10 -z 1000ms --insecure --http2 -p 10"),
            (tools.Bombardier, "handshake", "-k -H Connection: close"),
            (tools.K6, "slow", "k6 run"),
            (tools.Pepe, "paced-2000", "--rate 2000"),
            (tools.FloorEpoll, "post", "floor-epoll 1 /post 64 1 800"),
        ]
        for kind, workload, part in rows:
            self.assertIn(part, self.command(kind, by_name(workload)), workload)

    def test_every_workload_is_done_by_somebody_or_refused_with_a_reason(self):
        for w in WORKLOADS:
            answers = [plan.able(peer, w) for peer in tools.PEERS]
            self.assertTrue(any(can for can, _ in answers), w.name)
            self.assertTrue(all(can or why for can, why in answers), w.name)

    def test_scripts_for_k6(self):
        for w in WORKLOADS:
            if plan.able(tools.K6, w)[0]:
                script = tools.K6.script(tools.Ask(w, 1, "http://h/", 1, None))
                options = json.loads(script.split("options = ")[1].split(";\n")[0])
                self.assertIn(options["scenarios"]["load"]["executor"], ("constant-vus", "constant-arrival-rate", "shared-iterations"))

    def test_what_tools_report(self):
        rows = [
            (tools.Wrk, "Running 1s test @ http://127.0.0.1:9/16\n  1 threads and 64 connections\n  19001 requests in 1.01s, 1.45MB read\nRequests/sec:  18004.61\n", 19001),
            (tools.H2load, "finished in 1.00s\nrequests: 20226 total, 20326 started, 20226 done, 20226 succeeded, 0 failed, 0 errored, 0 timeout\n", 20226),
            (tools.Hey, "\nStatus code distribution:\n  [200]\t10 responses\n  [503]\t3 responses\n\n", 13),
            (tools.Oha, '{"statusCodeDistribution": {"200": 7, "503": 2}}', 9),
            (tools.Bombardier, '{"spec": {}, "result": {"req1xx": 0, "req2xx": 5, "req3xx": 0, "req4xx": 0, "req5xx": 2, "others": 1}}', 7),
            (tools.FloorEpoll, "41\n", 42),
        ]
        for kind, text, count in rows:
            self.assertEqual(kind().reported(tools.Ask(by_name("16B-64"), 1, "", 1, None), text), count, kind)
        piped = tools.Ask(by_name("pipe-8000"), 1, "", 1, None)
        self.assertEqual(tools.Vegeta().reported(piped, "Requests      [total, rate, throughput]         10000, 10001.00, 9999.00\n"), 10000)


class ResultsAndTables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.results = Results(os.path.join(self.folder.name, "r"))
        self.addCleanup(self.folder.cleanup)

    def pair(self, n, ours, theirs, workload="16B-64", reported=1000):
        self.results.add_pair(workload, "wrk", n, [("thrum", Run(ours, 6, 1, 1000, 1000)), ("wrk", Run(theirs, 5, 1, 1000, reported))])

    def test_an_interrupted_run_goes_on(self):
        self.assertEqual(self.results.pairs(), {})
        self.pair(0, 8, 10)
        self.pair(1, 9, 10)
        with open(self.results.path("runs.csv"), "a", encoding="utf-8") as file:
            file.write("16B-64,wrk,2,thrum,8.0,5.0,1000")  # torn
        self.assertEqual(len(self.results.pairs()["16B-64", "wrk"]), 2)
        self.pair(2, 8, 10)
        self.assertEqual([p["thrum"]["cpu"] for p in self.results.pairs()["16B-64", "wrk"]], [8, 9, 8])
        with open(self.results.path("runs.csv"), encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 7)

    def test_tables(self):
        for n, (ours, theirs) in enumerate(((8, 10), (9, 10), (8.5, 10))):
            self.pair(n, ours, theirs, reported=900)
            self.pair(n, 13, 10, "json")
        self.results.add("calls.csv", CALLS, [["16B-64", "thrum", "0.14"], ["16B-64", "wrk", "4.07"]])
        self.results.add("skips.csv", SKIPS, [["http2", "wrk", "it has no HTTP/2"], ["json", "k6", "it is not here"]])
        machine = {"cpu": "C", "cores": 2, "memory_gib": 1, "virtual": "no", "system": "S", "kernel": "K", "date": "D"}
        self.results.write_about({"mode": "quick", "pairs": 3, "seconds": 1, "load": 0.1, "thrum": "x", "machine": machine, "versions": {"thrum": "1", "wrk": "4"}})
        text = tables.text(self.results, {("json", "cpu"): "Because of that.", ("*", "cpu"): "In general."})
        self.assertIn("| 16 bytes, 64 connections | 8.50 | 0.85 <sub>0.80–0.90</sub> |", text)
        self.assertIn("| JSON of 800 bytes, 64 connections | 13.0 | **1.30 <sub>1.30–1.30</sub>** |", text)
        self.assertIn("In general.\n\n- ", text)
        self.assertIn("- JSON of 800 bytes, 64 connections, CPU: wrk 1.30. Because of that.", text)
        self.assertIn("- 16 bytes, 64 connections, memory: wrk 1.20.", text)
        self.assertIn("75% confidence", text)
        self.assertIn("- wrk: 3 of 6 runs agree; furthest off: 36 not counted of 1,000 (16 bytes, 64 connections)", text)
        self.assertIn("| 16 bytes, 64 connections | 0.14 | 4.07 |", text)
        self.assertIn("- wrk, http2: it has no HTTP/2", text)
        page = tables.between_markers(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n", "new")
        self.assertEqual(page, f"before\n{tables.BEGIN}\n\nnew\n\n{tables.END}\nafter\n")

    def test_the_page_and_the_reasons_fit(self):
        with open(os.path.join(ROOT, "bench/README.md"), encoding="utf-8") as page:
            self.assertIn("new", tables.between_markers(page.read(), "new"))
        with open(os.path.join(ROOT, "bench/reasons.csv"), encoding="utf-8") as reasons:
            for row in csv.DictReader(reasons):
                self.assertTrue((by_name(row["workload"]) or row["workload"] == "*") and row["of"] in ("cpu", "peak") and row["why"], row)

    def test_the_gate(self):
        even = [(Run(100, 6, 1, 1000, 1000), Run(100, 6, 1, 1000, 1000))] * 5
        self.assertEqual([failed for *_, failed in gate.verdict(even)], [False, False])
        worse = [(Run(106 + n, 6, 1, 1000, 1000), Run(100, 6, 1, 1000, 1000)) for n in range(5)]
        self.assertEqual([failed for *_, failed in gate.verdict(worse)], [True, False])
        fatter = [(Run(100, 6.4, 1, 1000, 1000), Run(100, 6, 1, 1000, 1000))] * 5
        self.assertEqual([failed for *_, failed in gate.verdict(fatter)], [False, True])


class Python(tools.Tool):
    """A client for tests: as many requests as it is told, and a child that burns what its parent does not."""

    name = "python"
    code = "print(1)"

    def __init__(self):
        super().__init__()
        self.program = sys.executable

    def command(self, ask):
        return [self.program, "-c", self.code, ask.url, str(ask.workload.count)]

    def reported(self, ask, stdout):
        return int(stdout)


ASKS = """
import http.client, sys
from urllib.parse import urlsplit
url, n = urlsplit(sys.argv[1]), int(sys.argv[2])
c = http.client.HTTPConnection(url.hostname, url.port)
for _ in range(n):
    c.request("POST", url.path, b"x" * 800)
    c.getresponse().read()
print(n)
"""


class Measured(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        cpu = min(os.sched_getaffinity(0))
        servers = Servers(os.path.join(BIN, "bench_server"), self.folder.name, cpu)
        self.addCleanup(servers.stop)
        self.bench = Bench(servers, os.path.join(BIN, "bench_measured"), cpu, self.folder.name)
        self.tool = Python()

    def run_code(self, code, path="/post", count=50):
        self.tool.code = code
        return self.bench.run(self.tool, Workload("w", "w", path, kind=COUNT, count=count), 1)

    def test_a_run_is_held_against_the_servers_count(self):
        for path in ("/post", "/16", "/json", "/16k", "/256k", "/slow", "/503"):
            run = self.run_code(ASKS, path, 5)
            self.assertEqual((run.served, run.reported), (5, 5), path)
        self.assertGreater(run.cpu_ms, 0)
        self.assertGreater(run.peak_mb, 1)

    def test_all_processes_count(self):
        # The child is left behind by its parent, and does all the work.
        orphan = f"""
import os, sys
if os.fork() == 0:
    if os.fork() == 0:
        held = bytearray(b"x" * 64_000_000)
        sum(range(3_000_000))
        os.close(1)
    os._exit(0)
os.wait()
{ASKS}"""
        alone, both = self.run_code(ASKS, count=1), self.run_code(orphan, count=1)
        self.assertGreater(both.peak_mb, alone.peak_mb + 30)

    def test_failures_have_a_word(self):
        for code, why in (("import sys; sys.exit('no such thing')", "it failed: no such thing"), ("print(0)", "the server saw nothing of it")):
            with self.assertRaises(tools.Cannot) as caught:
                self.run_code(code)
            self.assertEqual(str(caught.exception), why)

    def test_requests_in_pieces_and_in_one(self):
        import socket

        server = self.bench.servers.of(by_name("16B-64"))
        with socket.create_connection(("127.0.0.1", server.port)) as s:
            text = b"POST /post HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET /16 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
            for i in range(0, len(text), 7):
                s.sendall(text[i : i + 7])
            answer = b"".join(iter(lambda: s.recv(4096), b""))
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 2)
        self.assertEqual(server.count(), 2)


if __name__ == "__main__":
    BIN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
