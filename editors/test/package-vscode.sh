#!/usr/bin/env bash
# package-vscode.sh BINARY DIR: the extension as people get it, a .vsix with the binary inside, alone in DIR.
set -euo pipefail
binary=${1:?binary} to=${2:?directory}
cd "$(dirname "$0")/../vscode"

rm -rf "$to"
mkdir -p "$to/home"
# Where packages come from is this machine's choice; nothing else of it counts.
npm_config_registry=$(npm config get registry)
# The licences of what is in the binary are read where its sources are.
GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$(go env GOCACHE)
export npm_config_registry GOMODCACHE GOCACHE HOME=$to/home
if ! cmp -s package-lock.json node_modules/.installed; then
	npm ci --no-audit --no-fund --no-update-notifier
	cp package-lock.json node_modules/.installed
fi
npm run --silent check
npm test --silent
npm run --silent package -- --binary "$binary" --out "$to"
rm -rf "$to/home"
