"""The tables of bench/README.md, made from the results beside it and written between its markers."""
import statistics

import figures
import tools
from workloads import WORKLOADS

BEGIN, END = "<!-- tables: written by scripts/bench --table -->", "<!-- end of tables -->"
LOSS = 0.03  # a median further above 1 than this, with its interval above 1, is a loss


def sides(pairs, workload, tool):
    """All values of one tool in a workload."""
    return [pair[tool] for (w, _), rows in pairs.items() if w == workload for pair in rows if tool in pair]


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def number(value):
    """Three digits that say something, and no more."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio_of(pairs, workload, peer, key="cpu"):
    rows = pairs.get((workload, peer))
    return figures.ratio([row["thrum"][key] for row in rows], [row[peer][key] for row in rows]) if rows else None


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "--:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def ratio_table(results, names):
    pairs, skips = results.pairs(), results.skips()
    rows = []
    for w in WORKLOADS:
        ours = sides(pairs, w.name, "thrum")
        if not ours:
            continue
        cells = []
        for peer in names:
            found = ratio_of(pairs, w.name, peer)
            if found:
                cell = f"{found[0]:.2f} <sub>{found[1]:.2f}–{found[2]:.2f}</sub>" if found[0] >= 0.01 else "< 0.01"
                cells.append(f"**{cell}**" if figures.past(LOSS, found) else cell)
            else:
                cells.append("failed" if skips.get((w.name, peer), "").startswith(("it failed", "it was not", "the server")) else "")
        rows.append([w.what, number(median(ours, "cpu")), *cells])
    return table(["workload", "thrum: ms of CPU per 1,000", *(f"÷ {name}" for name in names)], rows)


def figure_table(results, names, key):
    pairs = results.pairs()
    rows = []
    for w in WORKLOADS:
        if not sides(pairs, w.name, "thrum"):
            continue
        found = [sides(pairs, w.name, tool) for tool in ["thrum", *names]]
        rows.append([w.what, *(number(median(all_, key)) if all_ else "" for all_ in found)])
    return table(["workload", "thrum", *names], rows)


def calls_table(results, names):
    calls = results.calls()
    rows = [[w.what, *(number(calls[w.name, tool]) if (w.name, tool) in calls else "" for tool in ["thrum", *names])] for w in WORKLOADS if (w.name, "thrum") in calls]
    return table(["workload", "thrum", *names], rows) if rows else ""


def losses(results, names, reasons):
    """Where thrum costs more than another: named, with reasons; those of "*" are for all workloads."""
    pairs, lines = results.pairs(), []
    general = " ".join(why for (workload, _), why in reasons.items() if workload == "*")
    for w in WORKLOADS:
        for key, what in (("cpu", "CPU"), ("peak", "memory")):
            worse = [(peer, ratio_of(pairs, w.name, peer, key)) for peer in names]
            worse = [f"{peer} {found[0]:.2f}" for peer, found in worse if figures.past(LOSS, found)]
            if worse:
                lines.append(f"- {w.what}, {what}: {', '.join(worse)}. {reasons.get((w.name, key), '')}".rstrip())
    return (f"{general}\n\n" if general else "") + "\n".join(lines) if lines else "None."


def counts(results, names):
    """Per tool: of how many runs its count is the server's, but for requests that were under way when it ended; and the worst of the others."""
    pairs, lines = results.pairs(), []
    for tool in ["thrum", *names]:
        off, runs, silent = [], 0, 0
        for w in WORKLOADS:
            for row in sides(pairs, w.name, tool):
                if row["reported"] is None:
                    silent += 1
                    continue
                runs += 1
                by = figures.uncounted(row["served"], row["reported"], 0 if tool == "thrum" else w.in_flight())
                if by:
                    off.append((by, row["served"], w.what))
        if runs + silent == 0:
            continue
        text = f"{runs - len(off)} of {runs} runs agree" if runs else "it says no count that is read here"
        if off:
            by, served, what = max(off, key=lambda o: abs(o[0]))
            text += f"; furthest off: {abs(by):,} {'not counted' if by > 0 else 'too many'} of {served:,} ({what})"
        lines.append(f"- {tool}: {text}")
    return "\n".join(lines)


def skipped(results):
    by_why, pairs = {}, results.pairs()
    for (workload, peer), why in results.skips().items():
        if pairs.get((workload, peer)):
            continue  # it was here the next time
        by_why.setdefault((peer, why), []).append(workload)
    return "\n".join(f"- {peer}, {', '.join(names)}: {why}" for (peer, why), names in sorted(by_why.items()))


def accuracy(results):
    """What each tool said of servers that knew the truth (accuracy/peers): its error, by the server's clock and by what visitors felt."""
    found = {}
    for row in results.rows("accuracy.csv"):
        said, server, visitors = (float(row[key]) for key in ("reported_ms", "server_ms", "visitors_ms"))
        found.setdefault((row["script"], row["tool"]), {"counts": f"{row['reported']} / {row['served']}"})[row["percentile"]] = (
            f"{said:.0f} <sub>{(said - server) / server:+.0%}, {(said - visitors) / visitors:+.0%}</sub>")
    rows = [[script, tool, cells["counts"], *(cells.get(p, "") for p in ("50", "90", "95", "99", "99.9"))] for (script, tool), cells in found.items()]
    if not rows:
        return ""
    return "\n\n".join([
        "### How right the figures are",
        "200 requests a second for 6 s, against a server that takes 20 ms for each (steady), 200 ms for one in seven (two kinds), or stops for 2 s (stall). The "
        "latency that each tool reports, in ms; small, how far that is from how long the server kept the requests it got, and from what 200 visitors a second would "
        "have felt. Those of the one and of the other differ in the tails by what the server itself was late. A tool whose senders wait for the server can be right by the first and far off by the second. wrk adds to what it saw "
        "what it reckons it would have seen had it not waited, so the server's clock is no measure of it; oha does that where --latency-correction asks for it.",
        table(["server", "tool", "requests by its count / the server's", "p50", "p90", "p95", "p99", "p99.9"], rows),
    ])


def machine(about):
    m = about["machine"]
    return (f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB, virtual machine: {m['virtual']}; {m['system']}, Linux {m['kernel']}; {m['date']}. "
            f"Mode {about['mode']}: {about['pairs']} pairs of {about['seconds']:g} s. "
            f"Load by other programs when it began: {about['load']:.1f}.{' ' + about['note'] if 'note' in about else ''}\n\n" + ", ".join(f"{name} {version}" for name, version in about["versions"].items()) + ".")


def text(results, reasons):
    about, pairs = results.about(), results.pairs()
    names = [p.name for p in tools.PEERS if any(peer == p.name for _, peer in pairs)]
    coverage = figures.rank_interval(range(about["pairs"]))[2]
    parts = [
        "### Machine and versions", machine(about),
        "### CPU: thrum's part of what another takes",
        f"User and system time of all threads and processes for each 1,000 requests that the server answered. A ratio below 1: thrum takes less. It is the median over pairs; small, "
        f"the interval that holds the true median with {coverage:.0%} confidence. Bold: thrum takes more. Empty: it can't do it, see below.",
        ratio_table(results, names),
        "### Where thrum takes more", losses(results, names, reasons),
        "### Rate", "Requests per second from start to end of the program, start-up included; all on one core, the server on another.", figure_table(results, names, "rate"),
        "### Memory", "MiB at the peak, of the largest process.", figure_table(results, names, "peak"),
        "### System calls per request", calls_table(results, names),
        "### Counts", "What each tool says it did, held against the server's count. A tool that stops at the end of its time may leave as many uncounted as were under way; thrum may not.", counts(results, names),
        accuracy(results),
        "### Not measured", skipped(results) or "Nothing was left out.",
    ]
    return "\n\n".join(part for part in parts if part)


def between_markers(page, new):
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:begin]}\n\n{new}\n\n{page[end:]}"
