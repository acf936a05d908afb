"""The arithmetic of benches: medians, ratios of pairs, and intervals that ask nothing of how values are distributed."""
import math
import statistics

CONFIDENCE = 0.9


def rank_interval(values, confidence=CONFIDENCE):
    """(low, high, coverage) of the median: the innermost pair of ranks that covers it with `confidence`, else all values.

    The true median lies between the k-th smallest and the k-th largest of n values with probability
    1 - 2 P(Binomial(n, 1/2) < k), whatever the distribution.
    """
    ordered = sorted(values)
    n = len(ordered)
    if n == 0:
        raise ValueError("an interval needs values")

    def coverage(k):
        return 1 - 2 * sum(math.comb(n, i) for i in range(k)) / 2**n

    k = max([k for k in range(1, n // 2 + 1) if coverage(k) >= confidence], default=1)
    return ordered[k - 1], ordered[n - k], max(0.0, coverage(k))


def ratio(ours, theirs):
    """(median, low, high) of the ratios of pairs, ours over theirs."""
    if len(ours) != len(theirs):
        raise ValueError("pairs have two sides")
    ratios = [a / b for a, b in zip(ours, theirs) if b > 0]
    if not ratios:
        return None
    low, high, _ = rank_interval(ratios)
    return statistics.median(ratios), low, high


def uncounted(served, reported, in_flight):
    """By how many requests a client's count differs from the server's, beyond those that were under way when it ended."""
    off = served - reported
    return off if off < 0 else max(0, off - in_flight)


def past(limit, figure):
    """Whether a (median, low, high) is a loss of more than `limit`: its median is past it, and its interval is not around 1."""
    return figure is not None and figure[0] > 1 + limit and figure[1] > 1
