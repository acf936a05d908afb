#!/usr/bin/env bash
# What scripts/release packed, as a stranger meets it: the sums are right, nothing is missing, and the program runs where there is
# nothing else at all, by itself in an empty root.
#
# release.sh DIST NAME    tries DIST/NAME.tar.gz, as scripts/release does
set -euo pipefail
dist=$(cd "${1:?usage: release.sh DIST NAME}" && pwd)
name=${2:?usage: release.sh DIST NAME}
say() { echo "release.sh: $*" >&2; }
wrong() { say "$*" && exit 1; }

work=$(mktemp -d)
server=
finish() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT
(cd "$dist" && sha256sum --quiet -c SHA256SUMS)
tar -C "$work" -xzf "$dist/$name.tar.gz"
root=$work/$name thrum=$work/$name/bin/thrum

for file in bin/thrum share/man/man1/thrum.1 share/man/man1/thrum-attack.1 share/bash-completion/completions/thrum share/zsh/site-functions/_thrum \
  share/fish/vendor_completions.d/thrum.fish share/doc/thrum/LICENSE share/doc/thrum/CHANGELOG.md share/doc/thrum/copyright/libssl; do
  [ -s "$root/$file" ] || wrong "$file is missing"
done
if [ -n "$(find "$root" ! -user "$(id -un)" -o -perm /022 ! -type l | head -1)" ]; then wrong "somebody else could write there"; fi

# No interpreter, no shared object wanted, no symbols, no stack that is code.
if readelf -lW "$thrum" | grep -E '^ +INTERP'; then wrong "it asks for a dynamic linker"; fi
if readelf -dW "$thrum" | grep NEEDED; then wrong "it asks for shared objects"; fi
if readelf -SW "$thrum" | grep -F .symtab; then wrong "it is not stripped"; fi
if readelf -lW "$thrum" | grep -E '^ +GNU_STACK .*RWE'; then wrong "its stack is executable"; fi
readelf -lW "$thrum" | grep -q GNU_RELRO || wrong "what it relocates stays writable"

# A root that holds the program, hosts and a folder to write into.
empty=$work/empty
mkdir -p "$empty/etc" "$empty/out"
cp "$thrum" "$empty/thrum"
echo "127.0.0.1 here.test" >"$empty/etc/hosts"
if unshare -r chroot / true 2>/dev/null; then
  inside() { env -i "$(command -v unshare)" -r "$(command -v chroot)" "$empty" /thrum "$@"; }
  host=here.test # there is nobody to ask but the root's own hosts file
else
  say "this machine lets nobody change the root, so it is run with an empty environment only"
  inside() { (cd "$empty" && env -i ./thrum "$@"); }
  host=127.0.0.1
fi
cd "$empty"
grep -q '^Version: v' <<<"$(inside version 2>&1)" || wrong "it does not run: $(inside version 2>&1)"

env -i "$thrum" serve -addr 127.0.0.1:0 -tls 127.0.0.1:0 -cert-out "$empty/cert.pem" >"$work/serve" 2>&1 &
server=$!
for _ in $(seq 100); do
  if grep -q attack "$work/serve"; then break; fi
  sleep 0.1
done
for scheme in http https; do
  port=$(grep -o "$scheme://[^/ \"]*" "$work/serve" | head -1 | sed 's/.*://')
  for http2 in true false; do
    echo "GET $scheme://$host:$port/bytes/16" |
      inside attack -rate=500 -n=50 -insecure -http2=$http2 >"$work/$scheme.bin" || wrong "attack failed on $scheme"
    inside report <"$work/$scheme.bin" >"$work/report"
    grep -qE '^Success .* 100.00%' "$work/report" || wrong "an attack over $scheme has failures: $(cat "$work/report")"
  done
done
echo "release.sh: $name runs in an empty root and attacks over http and https"
