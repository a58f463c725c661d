#!/usr/bin/env bash
# install-typescript.sh DIR: the language server of TypeScript, as nvim-plugin/typescript/package-lock.json says, with DIR/server as
# the program.
set -euo pipefail
to=${1:?directory}
here=$(cd "$(dirname "$0")" && pwd)

cmp -s "$here/nvim-plugin/typescript/package-lock.json" "$to/complete" && exit 0
rm -rf "$to"
mkdir -p "$to/home"
to=$(cd "$to" && pwd)
cp "$here/nvim-plugin/typescript"/package{,-lock}.json "$to"
# Where packages come from is this machine's choice; nothing else of it counts.
registry=$(npm config get registry)
cd "$to"
HOME=$to/home npm_config_registry=$registry npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
ln -sfn node_modules/.bin/typescript-language-server server
rm -rf home
cp package-lock.json complete
