#!/usr/bin/env bash
# install-vscode.sh newest|oldest|driver DIR: a VS Code that runs without a screen (code-server, with its own Node), or what drives it
# from outside, under DIR. vscode/<which>/package-lock.json says which versions. No compiler, no root.
#
# Ends with DIR/start, which is the program (code-server with its Node), or for the driver DIR/node_modules.
set -euo pipefail
which=${1:?newest, oldest or driver} to=${2:?directory}
here=$(cd "$(dirname "$0")" && pwd)

cmp -s "$here/vscode/$which/package-lock.json" "$to/complete" && exit 0
rm -rf "$to"
mkdir -p "$to/home"
to=$(cd "$to" && pwd)
cp "$here/vscode/$which"/package{,-lock}.json "$to"
# Where packages come from is this machine's choice; nothing else of it counts.
registry=$(npm config get registry)
npm() { HOME=$to/home npm_config_registry=$registry command npm "$@" --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error; }

cd "$to"
npm ci
if [ "$which" != driver ]; then
	# The editor proper has packages of its own. Its lock file is out of step with them: `npm ci` refuses it.
	(cd node_modules/code-server/lib/vscode && npm install --omit=dev)
	# The older one loads a native module at the start that only hashes passwords. There are none here, so it need not be compiled.
	[ -e node_modules/argon2/prebuilds ] || : >node_modules/argon2/argon2.js
	cat >start <<-'START'
		#!/bin/sh
		here=${0%/*}
		exec "$here"/node_modules/node-linux-*/bin/node "$here/node_modules/code-server/out/node/entry.js" "$@"
	START
	chmod +x start
	XDG_CONFIG_HOME=$to/home ./start --version | awk 'END { print $NF }' >version
fi
rm -rf home
cp package-lock.json complete
