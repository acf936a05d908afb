# Each command of tests/data/curl/commands.txt is run by bash, once with curl and once with thrum in its place, against a recorder: both
# have to send the same. Those in cmd.exe's quoting are given to thrum as text, and held against what their twin in bash sent.
# A line per command that differs, and the counts at the end. Arguments: the folder of the data.
import os, re, socket, subprocess, sys, threading

data = sys.argv[1]
recorded = []


def read_request(f):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = f.readline()
        if not line:
            return None
        head += line
    body, lower = b"", head.lower()
    if b"\r\nexpect: 100-continue" in lower:
        f.raw._sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    if b"\r\ntransfer-encoding: chunked" in lower:
        while size := int(f.readline(), 16):
            body += f.read(size)
            f.readline()
        f.readline()
    elif length := re.search(rb"\r\ncontent-length: *(\d+)", lower):
        body = f.read(int(length.group(1)))
    return head, body


def serve(connection):
    f = connection.makefile("rb")
    while request := read_request(f):
        recorded.append(request)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def listen(server):
    while True:
        threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()


server = socket.create_server(("127.0.0.1", 0))
port = server.getsockname()[1]
threading.Thread(target=listen, args=(server,), daemon=True).start()


# Without what is each program's own: its name, the bodies' lengths, a boundary drawn at random.
def essence(request):
    if request is None:
        return None
    head, body = request
    lines = head.decode("latin-1").split("\r\n")[:-2]
    headers = []
    for line in lines[1:]:
        name = line.split(":")[0].lower()
        if name in ("content-length", "x-thrum-seq", "expect") or re.match("(?i)user-agent: (curl|thrum)/", line):
            continue
        # Blanks around a value mean nothing (RFC 9110 section 5.5).
        headers.append("chunked" if name == "transfer-encoding" else ": ".join(part.strip() for part in line.split(":", 1)))
    text = "\n".join(sorted(h for h in headers if h[:5].lower() == "host:" or h == "chunked") + [h for h in headers if h[:5].lower() != "host:" and h != "chunked"])
    body = body.decode("latin-1")
    if boundary := re.search("; boundary=(-{24}.*)", text):
        text, body = text.replace(boundary.group(1), "RANDOM"), body.replace(boundary.group(1), "RANDOM")
    return lines[0] + "\n" + text + "\n\n" + body


def last_of(act):
    before = len(recorded)
    said = act()
    return (essence(recorded[-1]) if len(recorded) > before else None), said


def run(words, **more):
    return subprocess.run(words, stdin=more.pop("stdin", subprocess.DEVNULL), capture_output=True, timeout=60, **more)


ours = ["thrum", "-n", "1", "-screen=false", "-connect-to", f"::127.0.0.1:{port}", "-allow-all-failed"]


def by_bash(command, program):
    with open("command.sh", "w") as f:
        f.write('curl() { %s "$@"; }\n%s\n' % (program, command))
    return run(["env", "-i", "PATH=" + os.environ["PATH"], "LC_ALL=C.UTF-8", "bash", "command.sh"])


def as_bash_takes_it(command):
    command = re.sub(r"^\$ |^/usr/bin/", "", command)
    return "curl " + command if command.startswith("-") else command


cases, sent, wrong, twins = [], {}, 0, 0
for line in open(data + "/commands.txt", encoding="utf-8"):
    if line.startswith("=== "):
        name, _, twin = line[4:].strip().partition(" = ")
        cases.append([name, twin, ""])
    elif cases:
        cases[-1][2] += line.replace("https://", "http://")
for name, twin, command in cases:
    command = command.rstrip("\n")
    if not twin:
        sent[name], _ = last_of(lambda: by_bash(as_bash_takes_it(command), f"command curl -q --max-time 20 --connect-to ::127.0.0.1:{port}"))
        got, said = last_of(lambda: by_bash(as_bash_takes_it(command), " ".join("'%s'" % w for w in ["command"] + ours).replace("'command'", "command") + " -curl -- curl"))
    else:
        twins += 1
        got, said = last_of(lambda: run(ours + ["-curl", "--", command]))
    if got != sent[twin or name] or got is None:
        wrong += 1
        print(f"{name}: curl sent\n{sent[twin or name]}\nthrum sent\n{got}\n{said.stderr.decode()[:600]}")
print(f"{len(cases)} commands, {twins} of them for cmd.exe, {wrong} differ")
