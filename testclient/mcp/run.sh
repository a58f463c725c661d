#!/usr/bin/env bash
# Installs the MCP servers of package-lock.json, at exactly those versions and without running their scripts, and talks to them.
# Then looks in all that was installed for what passes for a secret and is none.
# Where they cannot be had it says "not run" and why, and is no failure: nothing else needs node.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
not_run() {
	echo "not run: server-everything, server-filesystem ($1)"
	exit 0
}
command -v node >/dev/null 2>&1 || not_run "there is no node"
command -v npm >/dev/null 2>&1 || not_run "there is no npm"
if ! cmp -s package-lock.json node_modules/.installed; then
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null || not_run "the registry cannot be reached"
	cp package-lock.json node_modules/.installed
fi
cd ../..
played=$(go test -count=1 -v -run '^TestRegistry' ./workspace/mcp 2>&1) || { echo "$played"; exit 1; }
grep -E '^(--- |ok)|not run:' <<<"$played"
played=$(go test -count=1 -v -run '^TestNpmTree$' ./control/secrets 2>&1) || { echo "$played"; exit 1; }
grep -E 'files, |not run:' <<<"$played"
