"""What benches ask of a client: one row each. `peers.py` says how each client is told to do it."""
import dataclasses

PLAIN, TLS, HTTP2 = "plain", "tls", "http2"  # which server
CLOSED, PACED, PIPE, COUNT = "closed", "paced", "pipe", "count"  # how requests leave


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    what: str
    path: str
    connections: int = 64
    server: str = PLAIN
    kind: str = CLOSED
    streams: int = 1  # requests at once on a connection
    body: int = 0  # bytes, by POST
    keepalive: bool = True
    status: int = 200
    rate: int = 0  # per second, paced
    count: int = 0
    longer: float = 1  # times the usual length of a run: where opening connections, or 20 ms a request, would weigh too much
    quick: bool = True  # part of --quick
    calls: bool = False  # its system calls are counted in --quick, too

    def in_flight(self):
        return self.connections * self.streams


WORKLOADS = [
    Workload("16B-64", "16 bytes, 64 connections", "/16", calls=True),
    Workload("16B-256", "16 bytes, 256 connections", "/16", 256),
    Workload("16B-1000", "16 bytes, 1,000 connections", "/16", 1000),
    Workload("16B-10000", "16 bytes, 10,000 connections", "/16", 10000, longer=3),
    Workload("json", "JSON of 800 bytes, 64 connections", "/json"),
    Workload("16KiB", "16 KiB, 64 connections", "/16k", calls=True),
    Workload("256KiB", "256 KiB, 16 connections", "/256k", 16, calls=True),
    Workload("5MB", "5 MB, 4 connections", "/5m", 4),
    Workload("slow", "20 ms each, 1,000 connections", "/slow", 1000),
    Workload("503", "each a 503, 64 connections", "/503", status=503),
    Workload("post", "POST of 800 bytes, 64 connections", "/post", body=800),
    Workload("tls-16B", "TLS, 16 bytes, 64 connections", "/16", server=TLS, calls=True),
    Workload("tls-16KiB", "TLS, 16 KiB, 64 connections", "/16k", server=TLS),
    Workload("handshake", "TLS, a handshake for each request, 16 at once", "/16", 16, server=TLS, keepalive=False),
    Workload("http2", "HTTP/2, 16 bytes, 10 connections with 10 streams each", "/16", 10, server=HTTP2, streams=10, calls=True),
    Workload("paced-2000", "2,000 per second, as scheduled", "/16", kind=PACED, rate=2000),
    Workload("paced-20000", "20,000 per second, as scheduled", "/16", kind=PACED, rate=20000, calls=True),
    Workload("paced-100000", "100,000 per second, as scheduled", "/16", 256, kind=PACED, rate=100000),
    Workload("pipe-8000", "`attack -rate=8000` into `report`, both processes", "/16", kind=PIPE, rate=8000),
    Workload("10million", "10,000,000 requests, 16 bytes, 64 connections", "/16", kind=COUNT, count=10_000_000, quick=False),
]


def by_name(name):
    return next((w for w in WORKLOADS if w.name == name), None)
