#!/usr/bin/env bash
# install-gopls.sh VERSION DIR: the language server of Go as DIR/gopls.
set -euo pipefail
version=${1:?version} to=${2:?directory}
cd "$(dirname "$0")/../.." # the toolchain of this module

[ -x "$to/gopls" ] && [ "$(cat "$to/complete" 2>/dev/null)" = "$version" ] && exit 0
mkdir -p "$to"
to=$(cd "$to" && pwd)
GOFLAGS=-mod=mod GOBIN=$to go install "golang.org/x/tools/gopls@$version"
"$to/gopls" version >/dev/null
printf '%s\n' "$version" >"$to/complete"
