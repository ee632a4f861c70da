#!/usr/bin/env bash
# torture/upgrade.sh FROM TO: replaces one commit's program by another's and back, under load, and
# while pages are open. Both need the same tables, or TO has to update those of FROM.
set -euo pipefail
cd "$(dirname "$0")/.."
from=${1:?a commit to upgrade from} to=${2:?a commit to upgrade to}

# compile COMMIT NAME builds a commit's program, with the failpoints by which tests speed up clocks.
compile() {
  local folder=$PWD/.cache/upgrade/$2
  rm -rf "$folder"
  mkdir -p "$folder/source"
  git archive "$1" | tar x -C "$folder/source"
  (
    cd "$folder/source"
    export GOFLAGS=-buildvcs=false CGO_ENABLED=0
    go run -trimpath ./tools/build -assets -fast
    go build -trimpath -tags crashpoints -o ../coinslot ./bff
  )
  rm -r "$folder/source"
}

compile "$from" from
compile "$to" to
export UPGRADE_FROM=$PWD/.cache/upgrade/from/coinslot UPGRADE_TO=$PWD/.cache/upgrade/to/coinslot
go test -count=1 -v -timeout 2h ./torture -run Upgrades
go test -count=1 -v ./e2e -run TestFullPagesOpenDuringAnUpgrade
