#!/usr/bin/env bash
# install-acp.sh DIR: the clients of the Agent Client Protocol that acp/package-lock.json names, and the Node that they need.
set -euo pipefail
to=${1:?directory}
here=$(cd "$(dirname "$0")" && pwd)

cmp -s "$here/acp/package-lock.json" "$to/complete" && exit 0
rm -rf "$to"
mkdir -p "$to/home"
to=$(cd "$to" && pwd)
cp "$here/acp"/package{,-lock}.json "$to"
# Where packages come from is this machine's choice; nothing else of it counts.
registry=$(npm config get registry)
cd "$to"
# Not npm ci: it wants the packages for other systems, too, which not every registry has. The versions are those of the lock file.
HOME=$to/home npm_config_registry=$registry npm install --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
rm -rf home
cp "$here/acp/package-lock.json" complete
