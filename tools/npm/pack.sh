#!/usr/bin/env bash
# Packs the npm packages: tools/npm/pack.sh VERSION FOLDER leaves coinslot-checkout-VERSION.tgz and
# coinslot-server-VERSION.tgz in FOLDER. It needs npm, and what tools/install -all provides.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${1#v}
out=$2
export PATH=$PWD/.cache/node/bin:$PATH

mkdir -p "$out"
rm -f "$out"/coinslot-checkout-*.tgz "$out"/coinslot-server-*.tgz
packages=$(mktemp -d)
trap 'rm -r "$packages"' EXIT

# Types come from TypeScript, scripts from esbuild.
for from in npm npm/server; do
  to=$packages/${from##*/}
  node .cache/npm/typescript/lib/tsc.js -p $from --outDir "$to/dist"
  env GOFLAGS= CGO_ENABLED=0 go run -trimpath github.com/evanw/esbuild/cmd/esbuild $from/src/*.ts \
    --format=esm --target=es2022 --charset=utf8 --log-level=warning --outdir="$to/dist"
  sed "s/0\.0\.0-dev/$version/" $from/package.json >"$to/package.json"
  cp $from/README.md "$to"
done
rm -f "$packages"/npm/dist/*.svelte.d.js
cp static/checkout.d.ts npm/src/*.svelte npm/src/*.svelte.d.ts "$packages/npm/dist"

npm pack "$packages/npm" "$packages/server" --silent --pack-destination "$out"
