"""Reads thrum's native results and prints them as JSON lines: written from docs/results-format.md alone, to show that the page is
enough. The checks need the module xxhash and are passed over without it; compressed text needs the command zstd."""

import base64
import datetime
import json
import struct
import subprocess
import sys

try:
    import xxhash
except ImportError:
    xxhash = None

M = (1 << 64) - 1
NONE = object()


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        assert self.at + n <= len(self.data), "too short"
        self.at += n
        return self.data[self.at - n : self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


def signed(v):
    v &= M
    return v - (1 << 64) if v >> 63 else v


def unzigzag(v):
    return (v >> 1) ^ -(v & 1)


def optional(v):
    return NONE if v == 0 else v - 1 if v <= 1 << 63 else signed(v)


def packed(b, rows, width):
    bits = int.from_bytes(b.take((rows * width + 7) // 8), "little")
    return [(bits >> (i * width)) & ((1 << width) - 1) for i in range(rows)]


def column(b, rows):
    form = b.take(1)[0]
    if form == 0:
        return [b.varint()] * rows
    if form == 65:
        numbers = [b.take(1)[0] + 1]
        numbers = [b.varint() for _ in range(numbers[0])]
        return [numbers[i] for i in packed(b, rows, (len(numbers) - 1).bit_length())]
    width, base = form & 127, b.varint()
    values = [base + v for v in packed(b, rows, width)]
    row = 0
    for _ in range(b.varint() if form & 128 else 0):
        row += b.varint()
        values[row] += b.varint() << width
        row += 1
    return [v & M for v in values]


NAMES = ["seq", "time", "high", "zone", "latency", "lag", "first_byte", "dns", "connect", "tls", "bytes_out", "bytes_in", "code", "seen_status",
         "outcome", "retries", "attack", "method", "url", "error", "body", "headers", "redirects", "redirecting",
         "warmup", "name"]
OUTCOMES = ["ok", "bad_status", "dns", "connect", "tls", "proxy", "send", "response", "truncated", "timeout", "cut", "client_limit", "expectation",
            "redirect", "unknown"]


def timestamp(nanos, zone):
    zone = 0 if zone == -(1 << 31) else zone
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=nanos // 10**9 + zone)
    fraction = f"{nanos % 10**9:09}".rstrip("0")
    offset = "Z" if zone == 0 else f"{'-' if zone < 0 else '+'}{abs(zone) // 3600:02}:{abs(zone) % 3600 // 60:02}"
    return moment.isoformat(timespec="seconds") + ("." + fraction if fraction else "") + offset


def results(payload, strings):
    b = Bytes(payload)
    rows, flags, epoch, first_seq = b.varint(), b.varint(), b.varint(), b.varint()
    base = struct.unpack("<Q", b.take(8))[0]
    mode = flags >> 1
    slope = b.varint() if mode < 2 else 0
    there = b.varint()
    c = {}
    for k in range(64):
        if there >> k & 1:
            values = column(b, rows)
            if k < len(NAMES):
                c[NAMES[k]] = values
        elif k < len(NAMES):
            c[NAMES[k]] = [2 if k == 0 else 0] * rows
    text = Bytes(payload[b.at :])
    if flags & 1:
        size = text.varint()
        plain = subprocess.run(["zstd", "-dc"], input=text.data[text.at :], stdout=subprocess.PIPE, check=True).stdout
        assert len(plain) == size
        text = Bytes(plain)
    if strings.get("epoch") != epoch:
        strings.clear()
        strings.update({"epoch": epoch, 0: b""})
    if text.data:
        for _ in range(text.varint()):
            number = text.varint()
            strings[number] = text.take(text.varint())
    seq, moment = first_seq - 1, base
    for i in range(rows):
        seq += unzigzag(c["seq"][i])
        difference = unzigzag(c["time"][i])
        if mode < 2:
            moment = base + (signed((seq - first_seq) * slope) >> 10) + difference
        else:
            moment += difference
        latency, lag = signed(c["latency"][i]), optional(c["lag"][i])
        sent = moment + (lag if mode == 1 else -latency if mode == 2 else 0)
        nanos = (unzigzag(c["high"][i]) << 64) + (sent & M)
        headers = []
        for _ in range(max(0, c["headers"][i] - 1)):
            name = text.take(text.varint())
            size = text.varint()
            value = text.take(size >> 1)
            headers.append((name, None if size & 1 else value))
        body = text.take(c["body"][i] - 1) if c["body"][i] else None
        first_byte = optional(c["first_byte"][i])
        show = lambda s: s.decode()
        row = {"attack": show(strings[c["attack"][i]]), "seq": seq & M, "code": c["code"][i], "timestamp": timestamp(nanos, unzigzag(c["zone"][i])),
               "latency": latency, "bytes_out": c["bytes_out"][i], "bytes_in": c["bytes_in"][i], "error": show(strings[c["error"][i]]),
               "body": None if body is None else base64.b64encode(body).decode(), "method": show(strings[c["method"][i]]),
               "url": show(strings[c["url"][i]]), "headers": None}
        if c["headers"][i]:
            row["headers"] = {}
            for name, value in headers:
                row["headers"].setdefault(show(name), []).append(show(value))
        if lag is not NONE:
            row["lag"] = lag
        if first_byte is not NONE:
            row["first_byte"] = signed(latency - first_byte)
        for phase in ["dns", "connect", "tls"]:
            if optional(c[phase][i]) is not NONE:
                row[phase] = optional(c[phase][i])
        for name in ["seen_status", "retries", "redirects"]:
            if c[name][i]:
                row[name] = c[name][i]
        if optional(c["redirecting"][i]) is not NONE:
            row["redirecting"] = optional(c["redirecting"][i])
        if c["warmup"][i]:
            row["warmup"] = True
        usual = "unknown" if row["code"] == 0 else "ok" if 200 <= row["code"] < 400 else "bad_status"
        if OUTCOMES[c["outcome"][i]] not in ("unknown", usual):
            row["outcome"] = OUTCOMES[c["outcome"][i]]
        if c["name"][i]:
            row["name"] = show(strings[c["name"][i]])
        yield row


def main():
    b = Bytes(open(sys.argv[1], "rb").read())
    strings = {}
    while b.at < len(b.data):
        if b.data[b.at : b.at + 7] == b"\x93thrum\n":
            assert b.take(8)[7] == 1, "version"
            strings = {}
            continue
        head = b.take(16)
        magic, length, check, kind = struct.unpack("<4sIIc", head[:13])
        payload = b.take(length)
        assert magic == b"\xd3\x9aTB"
        if xxhash:
            assert xxhash.xxh3_64_intdigest(payload) & 0xFFFFFFFF == check
            assert xxhash.xxh3_64_intdigest(head[:13]) & 0xFFFFFF == int.from_bytes(head[13:], "little")
        if kind == b"R":
            for row in results(payload, strings):
                print(json.dumps(row))
        else:
            assert isinstance(json.loads(payload), dict)


main()
