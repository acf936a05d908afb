# Sourced by the suites that meet other people's servers, after harness.sh.

# Runs a command until it succeeds, for ten seconds at most.
await() {
  local i
  for ((i = 0; i < 100; i++)); do
    eval "$1" >/dev/null 2>&1 && return
    sleep 0.1
  done
  return 1
}

# A port that was free a moment ago; servers that can't say which one the kernel gave them are told this one.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
listens() { (: <>"/dev/tcp/$1/$2") 2>/dev/null; }
await_port() { await "listens $1 $2"; }

# nginx_with SERVERS HOST PORT: nginx in the foreground with these server blocks, until HOST:PORT is listened on
nginx_with() {
  mkdir -p nginx
  cat >nginx.conf <<CONF
daemon off;
master_process off;
pid $work/nginx/pid;
error_log $work/nginx/error.log;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path $work/nginx/body;
  proxy_temp_path $work/nginx/proxy;
  fastcgi_temp_path $work/nginx/fastcgi;
  uwsgi_temp_path $work/nginx/uwsgi;
  scgi_temp_path $work/nginx/scgi;
  default_type text/plain;
  $1
}
CONF
  nginx -c "$work/nginx.conf" -e "$work/nginx/error.log" 2>nginx.err &
  started+=($!)
  await_port "$2" "$3" || fail "nginx did not start: $(cat nginx.err nginx/error.log)"
}
