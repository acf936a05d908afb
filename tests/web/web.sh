#!/usr/bin/env bash
# web.sh WEB: checks the types of WEB's pages, and that WEB/dist is up to date. Skipped (77) where node or its packages are missing,
# except under THRUM_CI.
set -euo pipefail
cd "${1:?usage: web.sh WEB}"

if ! command -v node >/dev/null || [ ! -d node_modules/esbuild ] || [ ! -d node_modules/typescript ]; then
  echo "skipped: node or web/node_modules is missing; scripts/setup --dev brings both"
  if [ -n "${THRUM_CI:-}" ]; then exit 1; fi
  exit 77
fi
node node_modules/typescript/bin/tsc --noEmit
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
node build.mjs "$fresh"
for page in "$fresh"/*; do
  cmp "$page" "dist/$(basename "$page")" || { echo "web/dist is stale: run npm run build in web/" >&2 && exit 1; }
done
