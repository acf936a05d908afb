"""What a bench is going to do, and how long that takes: quick or full, all or what was asked for."""
import dataclasses

import tools
from workloads import WORKLOADS, by_name

OVERHEAD = 0.35  # seconds a run takes beside its own length: starting, stopping, the server's count


@dataclasses.dataclass(frozen=True)
class Mode:
    name: str
    pairs: int
    seconds: float


QUICK = Mode("quick", 3, 1)
FULL = Mode("full", 11, 3)


class BadChoice(Exception):
    """A workload or a peer that is not one."""


def chosen(only, mode, peers=None):
    """[(workload, [peer name])]. `only`: "WORKLOAD", "WORKLOAD,PEER" or ",PEER"; none means all of the mode's."""
    names = [p.name for p in (peers or tools.PEERS)]
    picked = {}
    for text in only or [""]:
        workload, _, peer = text.partition(",")
        if workload and not by_name(workload):
            raise BadChoice(f"no workload {workload}; there are {' '.join(w.name for w in WORKLOADS)}")
        if peer and peer not in names:
            raise BadChoice(f"no peer {peer}; there are {' '.join(names)}")
        for w in [by_name(workload)] if workload else [w for w in WORKLOADS if mode is FULL or w.quick]:
            picked.setdefault(w.name, set()).update([peer] if peer else names)
    return [(w, [n for n in names if n in picked[w.name]]) for w in WORKLOADS if w.name in picked]


def pairs_of(workload, mode):
    return 1 if workload.count else mode.pairs


def able(peer, workload):
    """Whether a peer does a workload, as far as its class says: (True, "") or (False, why)."""
    tool = peer.__new__(peer)
    tool.program = peer.name
    try:
        tool.command(tools.Ask(workload, 1, "http://127.0.0.1:1/", 1, None))
    except tools.Cannot as why:
        return False, str(why)
    return True, ""


def with_calls(workload, mode):
    return not workload.count and (mode is FULL or workload.calls)


def run_seconds(workload, mode):
    if workload.count:
        return 180  # at some 50,000 a second
    return mode.seconds * workload.longer + OVERHEAD


def seconds(picked, mode, present=None):
    """About how long it takes; `present`: names of the peers that are here (all, if None)."""
    total = 0
    for workload, names in picked:
        peers = [p for p in tools.PEERS if p.name in names and (present is None or p.name in present) and able(p, workload)[0]]
        total += 2 * len(peers) * pairs_of(workload, mode) * run_seconds(workload, mode)
        if with_calls(workload, mode):
            total += (len(peers) + 1) * run_seconds(workload, mode)
    return total

