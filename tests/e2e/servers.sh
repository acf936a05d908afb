#!/usr/bin/env bash
# Other people's servers, from Debian: nginx, Apache, Caddy and HAProxy, plain and over TLS 1.2 and 1.3 each, with client
# certificates and session tickets, and chunked, gzipped and large bodies. What is not installed is skipped (scripts/setup --servers
# installs it), unless THRUM_CI is set.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.sh"
. "$here/peers.sh"
need jq || { summary; exit; }

# An authority; the server's certificate and the client's by it, and a client's by somebody else.
certificate() { # NAME EXTENSIONS [CA]
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$1" 2>/dev/null
  if [ $# = 2 ]; then
    openssl x509 -req -in "$1.csr" -key "$1.key" -days 2 -extfile <(echo "$2") -out "$1.pem" 2>/dev/null
  else
    openssl x509 -req -in "$1.csr" -CA "$3.pem" -CAkey "$3.key" -CAcreateserial -days 2 -extfile <(echo "$2") -out "$1.pem" 2>/dev/null
  fi
}
certificate authority basicConstraints=critical,CA:TRUE
certificate server subjectAltName=DNS:localhost,IP:127.0.0.1 authority
certificate client extendedKeyUsage=clientAuth authority
certificate stranger extendedKeyUsage=clientAuth
cat server.pem server.key >server.both
cat client.pem client.key >client.both
mkdir site
printf small >site/small
head -c 1000000 /dev/zero | tr '\0' m >site/large

export SSL_CERT_FILE=$work/authority.pem

# attack FILE TARGET FLAG...: 20 hits, by one sending thread; the results go to FILE
attack() {
  local file=$1 target=$2
  shift 2
  echo "GET $target" | thrum attack -rate=200/s -n=20 -cpus=1 -output="$file" "$@" 2>err
}
errors_of() { of "$1" '.errors | join("; ")'; }
outcome() { echo "$(of "$1" .success) $(errors_of "$1")"; }
# bodies FILE: each distinct body, and how many there were
bodies() { thrum encode -to json "$1" | jq -r '.body // "" | @base64d' | sort | uniq -c | awk '{ n = $1; $1 = ""; print substr($0, 2) " x" n }' | paste -sd ';'; }
plan() { of "$1" ".runs[0].plan.connections.$2"; }

# plain NAME URL: HTTP/1.1 without TLS, of the site's files
plain() {
  case_ "$1, plain"
  attack p.bin "$2/small" -capture=body -max-workers=2
  equal "success" "$(outcome p.bin)" '1 '
  equal "bodies" "$(bodies p.bin)" 'small x20'
  within "connections opened, kept alive" "$(plan p.bin opened)" 1 2
  attack p.bin "$2/small" -keepalive=false
  equal "a connection each" "$(outcome p.bin)$(plan p.bin opened)" '1 20'
  attack p.bin "$2/large" -max-connections=2
  equal "a large body" "$(outcome p.bin) $(of p.bin .bytes_in.mean)" "1  ${large:-1000000}"
  within "-max-connections" "$(plan p.bin opened)" 1 2
  attack p.bin "$2/none"
  equal "what is not there" "$(of p.bin '.status_codes["404"]')" 20
}
# encrypted NAME URL PROTOCOL: one TLS version; the body is "PROTOCOL WHETHER-RESUMED"
encrypted() {
  case_ "$1, $3"
  attack p.bin "$2" -capture=body -max-workers=2
  equal "success" "$(outcome p.bin)" '1 '
  has "protocol" "$(bodies p.bin)" "^$3 [^;]+$"
  within "connections opened, kept alive" "$(plan p.bin opened)" 1 2
  attack p.bin "$2" -capture=body -keepalive=false -max-workers=1
  equal "without -session-tickets none is resumed" "$(outcome p.bin)$(bodies p.bin)" "1 $3 $fresh x20"
  attack p.bin "$2" -capture=body -keepalive=false -max-workers=1 -session-tickets
  has "with -session-tickets all but the first are" "$(bodies p.bin)" "^$3 $fresh x1;$3 $resumed x19\$|^$3 $resumed x19;$3 $fresh x1\$"
  SSL_CERT_FILE=$work/stranger.pem attack p.bin "$2" -root-certs=authority.pem
  equal "-root-certs" "$(outcome p.bin)" '1 '
  attack p.bin "$2" -root-certs=stranger.pem
  has "somebody else's authority" "$(errors_of p.bin)" '^tls: certificate signed by unknown authority'
}
# mutual NAME URL NONE STRANGER: it demands a client's certificate answers with its subject, and
# refuses none and a stranger's in these words
mutual() {
  case_ "$1, client certificates"
  attack p.bin "$2" -cert=client.pem -key=client.key -capture=body -keepalive=false
  equal "success" "$(outcome p.bin)" '1 '
  has "the subject that the server saw" "$(bodies p.bin)" '^/?CN=client x20$'
  attack p.bin "$2" -cert=client.both
  equal "key and certificate in one file" "$(outcome p.bin)" '1 '
  attack p.bin "$2"
  has "none shown" "$(errors_of p.bin)" "$3"
  equal "none shown: success" "$(of p.bin .success)" 0
  attack p.bin "$2" -cert=stranger.pem -key=stranger.key
  has "one that it does not trust" "$(errors_of p.bin)" "$4"
  equal "one that it does not trust: success" "$(of p.bin .success)" 0
}

if need nginx; then
  port=$(free_port) tls12=$(free_port) tls13=$(free_port) mtls=$(free_port)
  tls="ssl_certificate $work/server.pem; ssl_certificate_key $work/server.key; ssl_session_cache shared:all:1m;"
  nginx_with "
    server { listen 127.0.0.1:$port; root $work/site; location = /gzip { gzip on; gzip_types text/plain; gzip_min_length 1; alias $work/site/large; }
             location = /chunked { ssi on; ssi_types *; alias $work/site/small; } }
    server { listen 127.0.0.1:$tls12 ssl; $tls ssl_protocols TLSv1.2; return 200 '\$ssl_protocol \$ssl_session_reused'; }
    server { listen 127.0.0.1:$tls13 ssl; $tls ssl_protocols TLSv1.3; return 200 '\$ssl_protocol \$ssl_session_reused'; }
    server { listen 127.0.0.1:$mtls ssl; $tls ssl_verify_client on; ssl_client_certificate $work/authority.pem;
             location / { return 200 '\$ssl_client_s_dn'; } }" 127.0.0.1 "$mtls"
  fresh=. resumed=r
  plain nginx "http://127.0.0.1:$port"
  encrypted nginx "https://127.0.0.1:$tls12" TLSv1.2
  encrypted nginx "https://127.0.0.1:$tls13" TLSv1.3
  mutual nginx "https://127.0.0.1:$mtls" '^400 Bad Request$' '^400 Bad Request$'

  case_ "nginx, bodies"
  attack p.bin "http://127.0.0.1:$port/gzip"
  equal "gzip" "$(outcome p.bin)" '1 '
  within "gzip: bytes as they came" "$(of p.bin .bytes_in.mean)" 100 20000
  attack p.bin "http://127.0.0.1:$port/gzip" -compression=false
  equal "-compression=false" "$(outcome p.bin) $(of p.bin .bytes_in.mean)" '1  1000000'
  attack p.bin "http://127.0.0.1:$port/chunked" -capture=headers,body
  equal "chunked" "$(outcome p.bin)$(bodies p.bin)" '1 small x20'
  has "chunked: headers" "$(thrum encode -to json p.bin | jq -c .headers | sort -u)" '"Transfer-Encoding":\["chunked"\]'
fi

if need apache2; then
  port=$(free_port) tls12=$(free_port) tls13=$(free_port) mtls=$(free_port)
  modules=$(for module in mpm_event authz_core mime ssl socache_shmcb alias include; do
    [ -e /usr/lib/apache2/modules/mod_$module.so ] && echo "LoadModule ${module}_module /usr/lib/apache2/modules/mod_$module.so"
  done)
  mkdir apache apache/said apache/subject
  echo '<!--#echo var="SSL_PROTOCOL" --> <!--#echo var="SSL_SESSION_RESUMED" -->' | tr -d '\n' >apache/said/index.shtml
  echo '<!--#echo var="SSL_CLIENT_S_DN" -->' | tr -d '\n' >apache/subject/index.shtml
  secure() { # PORT PROTOCOL FOLDER DIRECTIVES
    cat <<CONF
Listen 127.0.0.1:$1 https
<VirtualHost 127.0.0.1:$1>
  SSLEngine on
  SSLProtocol -all +$2
  SSLCertificateFile $work/server.pem
  SSLCertificateKeyFile $work/server.key
  DocumentRoot $work/apache/$3
  AliasMatch "^/" "$work/apache/$3/index.shtml"
  ${4-}
</VirtualHost>
CONF
  }
  cat >apache.conf <<CONF
$modules
ServerName localhost
ServerRoot $work/apache
PidFile $work/apache/pid
ErrorLog $work/apache/error.log
$([ "$(id -u)" != 0 ] || printf 'User www-data\nGroup www-data\n')
KeepAlive On
MaxKeepAliveRequests 0
Mutex file:$work/apache default
SSLSessionCache shmcb:$work/apache/sessions(512000)
TypesConfig /dev/null
AddType text/html .shtml
AddOutputFilter INCLUDES .shtml
<Directory $work>
  Require all granted
  Options +Includes
  SSLOptions +StdEnvVars
</Directory>
Listen 127.0.0.1:$port
DocumentRoot $work/site
$(secure "$tls12" TLSv1.2 said)
$(secure "$tls13" TLSv1.3 said)
$(secure "$mtls" TLSv1.3 subject "SSLVerifyClient require
  SSLCACertificateFile $work/authority.pem")
CONF
  chmod 755 "$work" && chmod -R a+rX site apache
  apache2 -f "$work/apache.conf" -DFOREGROUND >apache.out 2>&1 &
  started+=($!)
  await_port 127.0.0.1 "$mtls" || fail "Apache did not start: $(cat apache.out apache/error.log)"
  fresh=Initial resumed=Resumed
  plain Apache "http://127.0.0.1:$port"
  encrypted Apache "https://127.0.0.1:$tls12/" TLSv1.2
  encrypted Apache "https://127.0.0.1:$tls13/" TLSv1.3
  mutual Apache "https://127.0.0.1:$mtls/" '^tls: remote error: .*certificate required' '^tls: remote error: .*(unknown CA|certificate)'
fi

if need caddy; then
  port=$(free_port) tls12=$(free_port) tls13=$(free_port) mtls=$(free_port)
  cat >Caddyfile <<CONF
{
  admin off
  auto_https off
  servers {
    protocols h1
  }
}
http://127.0.0.1:$port {
  root * $work/site
  file_server
}
https://localhost:$tls12 {
  bind 127.0.0.1
  tls $work/server.pem $work/server.key {
    protocols tls1.2 tls1.2
  }
  respond "{http.request.tls.version} {http.request.tls.resumed}"
}
https://localhost:$tls13 {
  bind 127.0.0.1
  tls $work/server.pem $work/server.key {
    protocols tls1.3 tls1.3
  }
  respond "{http.request.tls.version} {http.request.tls.resumed}"
}
https://localhost:$mtls {
  bind 127.0.0.1
  tls $work/server.pem $work/server.key {
    client_auth {
      mode require_and_verify
      trusted_ca_cert_file $work/authority.pem
    }
  }
  respond "{http.request.tls.client.subject}"
}
CONF
  HOME=$work XDG_DATA_HOME=$work/caddy XDG_CONFIG_HOME=$work/caddy caddy run --config Caddyfile --adapter caddyfile >caddy.out 2>&1 &
  started+=($!)
  await_port 127.0.0.1 "$mtls" || fail "Caddy did not start: $(cat caddy.out)"
  fresh=false resumed=true
  plain Caddy "http://127.0.0.1:$port"
  encrypted Caddy "https://localhost:$tls12/" tls1.2
  encrypted Caddy "https://localhost:$tls13/" tls1.3
  mutual Caddy "https://localhost:$mtls/" '^tls: remote error: .*certificate' '^tls: remote error: .*certificate'
fi

if need haproxy; then
  port=$(free_port) tls12=$(free_port) tls13=$(free_port) mtls=$(free_port)
  head -c 10000 site/large >site/medium  # what it sends by itself has to fit its buffers
  said='http-request return status 200 content-type text/plain lf-string "%[ssl_fc_protocol] %[ssl_fc_is_resumed]"'
  cat >haproxy.cfg <<CONF
global
  maxconn 200
  nbthread 1
defaults
  mode http
  timeout client 10s
  timeout server 10s
  timeout connect 1s
frontend plain
  bind 127.0.0.1:$port
  http-request return status 200 content-type text/plain file $work/site/small if { path /small }
  http-request return status 200 content-type text/plain file $work/site/medium if { path /large }
  http-request return status 404 if { path /none }
frontend tls12
  bind 127.0.0.1:$tls12 ssl crt $work/server.both ssl-min-ver TLSv1.2 ssl-max-ver TLSv1.2
  $said
frontend tls13
  bind 127.0.0.1:$tls13 ssl crt $work/server.both ssl-min-ver TLSv1.3 ssl-max-ver TLSv1.3
  $said
frontend mtls
  bind 127.0.0.1:$mtls ssl crt $work/server.both ca-file $work/authority.pem verify required
  http-request return status 200 content-type text/plain lf-string "%{+Q}[ssl_c_s_dn]"
CONF
  haproxy -db -f haproxy.cfg >haproxy.out 2>&1 &
  started+=($!)
  await_port 127.0.0.1 "$mtls" || fail "HAProxy did not start: $(cat haproxy.out)"
  fresh=0 resumed=1
  large=10000 plain HAProxy "http://127.0.0.1:$port"
  encrypted HAProxy "https://127.0.0.1:$tls12/" TLSv1.2
  encrypted HAProxy "https://127.0.0.1:$tls13/" TLSv1.3
  mutual HAProxy "https://127.0.0.1:$mtls/" '^tls: remote error: .*(certificate|handshake)' '^tls: remote error: '
fi

summary
