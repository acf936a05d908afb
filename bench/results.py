"""Results of benches on disk: a row per run, so that a run that was interrupted goes on where it stopped, and tables can be made again."""
import csv
import json
import os

RUNS = ["workload", "peer", "pair", "tool", "cpu_ms_per_1000", "peak_mb", "rate", "served", "reported", "wall_s"]
CALLS = ["workload", "tool", "calls_per_request"]
SKIPS = ["workload", "peer", "why"]


class Results:
    """A folder with runs.csv, calls.csv, skips.csv and about.json."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def rows(self, name):
        try:
            with open(self.path(name), encoding="utf-8", newline="") as file:
                # A row that an interruption cut short has no last column.
                return [row for row in csv.DictReader(file) if None not in row.values()]
        except FileNotFoundError:
            return []

    def add(self, name, columns, rows):
        os.makedirs(self.folder, exist_ok=True)
        self.drop_torn_line(name)
        new = not os.path.exists(self.path(name))
        with open(self.path(name), "a", encoding="utf-8", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            if new:
                out.writerow(columns)
            out.writerows(rows)

    def drop_torn_line(self, name):
        if not os.path.exists(self.path(name)):
            return
        with open(self.path(name), "rb+") as file:
            file.truncate(file.read().rfind(b"\n") + 1)

    def about(self):
        try:
            with open(self.path("about.json"), encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def write_about(self, about):
        os.makedirs(self.folder, exist_ok=True)
        with open(self.path("about.json"), "w", encoding="utf-8") as file:
            json.dump(about, file, indent=1)
            file.write("\n")

    # --- runs

    def add_pair(self, workload, peer, pair, runs):
        """Both sides at once: half a pair is none. `runs`: (tool, Run) in the order they ran."""
        self.add("runs.csv", RUNS, [[workload, peer, pair, tool, f"{r.cpu_per_1000:.4f}", f"{r.peak_mb:.2f}", f"{r.rate:.1f}", r.served,
                                     "" if r.reported is None else r.reported, f"{r.wall:.4f}"] for tool, r in runs])

    def pairs(self):
        """{(workload, peer): [{tool: row}, ...]}, whole pairs only, numbers as numbers."""
        found = {}
        for row in self.rows("runs.csv"):
            found.setdefault((row["workload"], row["peer"]), {}).setdefault(int(row["pair"]), {})[row["tool"]] = {
                "cpu": float(row["cpu_ms_per_1000"]), "peak": float(row["peak_mb"]), "rate": float(row["rate"]), "served": int(row["served"]),
                "reported": int(row["reported"]) if row["reported"] else None}
        return {key: [sides for _, sides in sorted(pairs.items()) if len(sides) == 2] for key, pairs in found.items()}

    def calls(self):
        return {(row["workload"], row["tool"]): float(row["calls_per_request"]) for row in self.rows("calls.csv")}

    def skips(self):
        return {(row["workload"], row["peer"]): row["why"] for row in self.rows("skips.csv")}
