#!/usr/bin/env bash
# Plays the scenarios of this folder in a real VS Code (code-server), which Chromium shows, with the extension as it is packaged, the
# real sidecar and a scripted model: scenarios/<name>.mjs is the person, scenarios/<name>.model what the model says. Screenshots and
# the wire are kept in .test-editors/logs.
#
#     AGENT_SIDECAR_PICTURES=1    the pictures of the README are made anew, in docs/pictures
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
limit=600 # seconds for one scenario, four times what the slowest needs on a busy machine; each step has limits of its own
tree=$cache/vscode

# put WHAT COMMAND…: installs, or the tests of VS Code end here.
put() {
	local what=$1
	shift
	timeout -k 5 600 "$@" >"$cache/logs/install-vscode-$what.log" 2>&1 && return
	check "vscode: $what is installed (see $cache/logs/install-vscode-$what.log)" false
	exit 0
}

# play NAME WHICH SCENARIO [ENVIRONMENT…]
play() {
	local name="$1 $3" which=$2 scenario=$3 code=0
	shift 3
	places "${name% *}" "$scenario"
	url=''
	[ ! -e "$here/vscode/scenarios/$scenario.model" ] || model "$here/vscode/scenarios/$scenario.model"
	group "$dir" "$limit" env VSCODE="$tree/$which/start" DRIVER="$tree/driver" CHROMIUM="$tree/chromium/bin/chromium" SCRIPTED="$cache/bin/scripted" TOP="$top" \
		EXTENSION="$(echo "$tree"/vsix/*.vsix)" OLDEST="$([ "$which" != oldest ] || echo true)" PICTURES="${AGENT_SIDECAR_PICTURES:-}" TSDK="$cache/typescript/node_modules/typescript/lib" "$@" \
		"$node" "$here/vscode/play.mjs" "$scenario" || code=$?
	said "$name" "$logs/editor.out"
	check "$name: the scenario came to its end (exit $code)" test "$code" -le 1
	check "$name: no process is left" gone "$dir" "$logs/strays"
	[ -z "$url" ] || model_ended "$name"
}

put driver bash "$here/install-vscode.sh" driver "$tree/driver"
put newest bash "$here/install-vscode.sh" newest "$tree/newest"
[ -n "$smoke" ] || put oldest bash "$here/install-vscode.sh" oldest "$tree/oldest"
put chromium bash "$here/install-chromium.sh" "$tree/chromium"
put extension bash "$here/package-vscode.sh" "$cache/bin/agent-sidecar" "$tree/vsix"
node=$(echo "$tree"/newest/node_modules/node-linux-*/bin/node)

newest="vscode $(cat "$tree/newest/version")"
[ -n "$smoke" ] || oldest="vscode $(cat "$tree/oldest/version")"
# wanted SCENARIO: it is among those that were asked for, or nothing was.
wanted() { [ -z "${chosen[*]:-}" ] || [[ " ${chosen[*]} " == *" $1 "* ]]; }
chosen=("$@")
[ -z "$smoke" ] || [ $# -gt 0 ] || chosen=(main)
: "${AGENT_SIDECAR_AT_ONCE:=1}" # two browsers at a time are too slow for each other on two processors
if wanted semantic; then put typescript bash "$here/install-typescript.sh" "$cache/typescript"; fi
in_newest() { play "$newest" newest "$1"; }
in_oldest() { play "$oldest" oldest "$1"; }
scenarios=()
for scenario in host main setup newcomer providers modes rules prompts semantic hosttools questions asked tabs place mentions folders changes restore pieces proposal inline windows chinese crash key restricted page; do
	if wanted "$scenario"; then scenarios+=("$scenario"); fi
done
at_once in_newest ${scenarios[@]+"${scenarios[@]}"}
if wanted oldest; then at_once in_oldest main prompts hosttools restore pieces proposal inline; fi
for scenario in alone speed; do # what they measure is what one window gets
	if wanted "$scenario"; then in_newest "$scenario"; fi
done
