"""A server that delays and stalls as it is told, and logs what it did: the truth that reports are held against."""
import asyncio
import random
import re
import threading
import time


class Server:
    """`delay(n, since)`: seconds that request n, which came `since` the first, is kept. n is X-Thrum-Seq where there is one, else the order of arrival.

    `log` has when each came and when its answer was written, in nanoseconds, by n.
    """

    def __init__(self, delay):
        self.delay, self.log, self.first, self.arrived = delay, {}, None, 0
        self.ready = threading.Event()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.run, daemon=True).start()
        self.ready.wait()

    def run(self):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0, backlog=1024))
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        self.loop.run_forever()

    async def serve(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                arrived = time.time_ns()
                if self.first is None:
                    self.first = arrived
                told = re.search(rb"(?i)x-thrum-seq: (\d+)", head)
                n = int(told.group(1)) if told else self.arrived
                self.arrived += 1
                kept = self.delay(n, (arrived - self.first) / 1e9)
                if kept > 0:
                    await asyncio.sleep(kept)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                self.log[n] = (arrived, time.time_ns())
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def steady(_, __):
    """Each takes 20 ms."""
    return 0.02


def stall(_, since):
    """Everything that comes in seconds 2 to 4 is answered when they are over."""
    return 4 - since if 2 <= since < 4 else 0.02


def bimodal(n, _):
    """Nine in ten take 20 ms, one takes 200 ms."""
    return 0.2 if random.Random(n).random() < 0.1 else 0.02


def two_kinds(n, _):
    """One in seven takes 200 ms, the others 20: no percentile that tools report lies on the step between them."""
    return 0.2 if n % 7 == 3 else 0.02


def quantile(values, q):
    """By the rule that the manual gives: value i of n stands at i + 1/2. `values` are sorted."""
    at = min(max(q / 100 * len(values) - 0.5, 0), len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)
