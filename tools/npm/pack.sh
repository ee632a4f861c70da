#!/usr/bin/env bash
# Packs the npm packages: tools/npm/pack.sh VERSION FOLDER leaves coinslot-checkout-VERSION.tgz,
# coinslot-server-VERSION.tgz and coinslot-vendure-VERSION.tgz in FOLDER. It needs npm, and what
# tools/install -all provides.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=${1#v}
out=$2
export PATH=$PWD/.cache/node/bin:$PATH

mkdir -p "$out"
rm -f "$out"/coinslot-{checkout,server,vendure}-*.tgz
packages=$(mktemp -d)
trap 'rm -r "$packages"' EXIT

site=https://git.example/coinslot/tree/main

# describe SOURCE copies package.json with the version, and README.md, whose links to other folders
# lead to the site.
describe() {
  local to=$packages/${1##*/}
  sed "s/0\.0\.0-dev/$version/" "$1/package.json" >"$to/package.json"
  sed "s#](\.\./\.\./#]($site/#g; s#](\.\./#]($site/$(dirname "$1")/#g" \
    "$1/README.md" >"$to/README.md"
}

# Types come from TypeScript, scripts from esbuild.
for from in npm npm/server; do
  to=$packages/${from##*/}
  node .cache/npm/typescript/lib/tsc.js -p $from --outDir "$to/dist"
  env GOFLAGS= CGO_ENABLED=0 go run -trimpath github.com/evanw/esbuild/cmd/esbuild $from/src/*.ts \
    --format=esm --target=es2022 --charset=utf8 --log-level=warning --outdir="$to/dist"
  describe $from
done
rm -f "$packages"/npm/dist/*.svelte.d.js
cp static/checkout.d.ts npm/src/*.svelte npm/src/*.svelte.d.ts "$packages/npm/dist"

# The plugin for Vendure needs decorators with metadata, which esbuild does not emit. Vendure is not
# installed here, so tsc checks no types: e2e TestFullVendure does. Without them, isolatedDeclarations
# of tsconfig.json keeps the declarations complete, and metadata names its classes all the same.
node .cache/npm/typescript/lib/tsc.js -p integrations/vendure --noCheck \
  --outDir "$packages/vendure/dist"
describe integrations/vendure

npm pack "$packages"/{npm,server,vendure} --silent --pack-destination "$out"
