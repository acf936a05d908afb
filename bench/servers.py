"""The servers that benches attack, on a core of their own: ours for plain HTTP (bench/server), nginx for TLS and HTTP/2. Each counts its requests."""
import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request

from tools import Cannot
from workloads import HTTP2, PLAIN, TLS

NGINX = """daemon off;
user root;
worker_processes 1;
pid {work}/nginx.pid;
error_log {work}/nginx.log;
worker_rlimit_nofile 65536;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  {temporary}
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  open_file_cache max=16 inactive=1h;
  open_file_cache_valid 1h;
  ssl_certificate {work}/cert.pem;
  ssl_certificate_key {work}/key.pem;
  ssl_session_cache off;
  ssl_session_tickets off;
  server {{ listen unix:{work}/count.sock; location = /count {{ stub_status; }} }}
  server {{ listen 127.0.0.1:{tls} ssl backlog=4096; root {work}/www; {fixed} }}
  server {{ listen 127.0.0.1:{http2} ssl http2 backlog=4096; root {work}/www; {fixed} }}
}}
"""


def pinned(cpu):
    return lambda: os.sched_setaffinity(0, {cpu})


class Plain:
    def __init__(self, program, cpu):
        self.process = subprocess.Popen([program], stdout=subprocess.PIPE, text=True, preexec_fn=pinned(cpu))
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def count(self):
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.url("/count"), timeout=10) as answer:
            return json.load(answer)["requests"]

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Nginx:
    """TLS 1.3 with a certificate of its own, full handshakes only. Two ports of one process, so that no client chooses HTTP/2 by itself."""

    def __init__(self, work, cpu):
        program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
        if not program or not shutil.which("openssl"):
            raise Cannot("no nginx and openssl here (scripts/setup --servers installs them)")
        self.work, self.asked = work, 0
        self.ports = {TLS: free_port(), HTTP2: free_port()}
        os.makedirs(f"{work}/www", exist_ok=True)
        os.chmod(work, 0o755)
        with open(f"{work}/www/16k", "w", encoding="utf-8") as file:
            file.write("x" * 16384)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{work}/key.pem", "-out", f"{work}/cert.pem"], check=True, capture_output=True)
        temporary = " ".join(f"{kind}_temp_path {work}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{work}/nginx.conf", "w", encoding="utf-8") as conf:
            conf.write(NGINX.format(work=work, temporary=temporary, tls=self.ports[TLS], http2=self.ports[HTTP2],
                                    fixed='location = /16 { default_type text/plain; return 200 "xxxxxxxxxxxxxxxx"; }'))
        self.process = subprocess.Popen([program, "-c", f"{work}/nginx.conf"], stderr=subprocess.DEVNULL, preexec_fn=pinned(cpu))
        self.wait_until_up()

    def wait_until_up(self):
        for _ in range(100):
            if self.process.poll() is not None:
                break
            try:
                return self.count()
            except OSError:
                time.sleep(0.05)
        with open(f"{self.work}/nginx.log", encoding="utf-8") as log:
            raise Cannot("nginx does not start: " + (log.read().strip().splitlines() or ["no word of why"])[-1])

    def count(self):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(f"{self.work}/count.sock")
            s.sendall(b"GET /count HTTP/1.0\r\n\r\n")
            text = b"".join(iter(lambda: s.recv(4096), b"")).decode()
        self.asked += 1  # nginx counts the questions, too
        return int(re.search(r"requests\s+\d+ \d+ (\d+)", text).group(1)) - self.asked

    def stop(self):
        self.process.terminate()
        self.process.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Servers:
    """Started when first needed, stopped together."""

    def __init__(self, program, work, cpu):
        self.program, self.work, self.cpu = program, work, cpu
        self.running = {}

    def of(self, workload):
        kind = Plain if workload.server == PLAIN else Nginx
        if kind not in self.running:
            self.running[kind] = Plain(self.program, self.cpu) if kind is Plain else Nginx(self.work, self.cpu)
        return self.running[kind]

    def address(self, workload):
        server = self.of(workload)
        if workload.server == PLAIN:
            return server.port, server.url(workload.path)
        port = server.ports[workload.server]
        return port, f"https://127.0.0.1:{port}{workload.path}"

    def settled_count(self, workload):
        """The count once it stands still: what a client left behind when it ended is still being answered."""
        server, last = self.of(workload), -1
        for _ in range(100):
            now = server.count()
            if now == last:
                break
            last = now
            time.sleep(0.03)
        return last

    def stop(self):
        for server in self.running.values():
            server.stop()
        self.running.clear()
