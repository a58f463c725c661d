#!/usr/bin/env bash
# Plays editors/test/neovim against the real binary in real Neovims. One line a check, "N passed, N failed" at the end, exit code 1
# where something failed. Everything lies below .test-editors: editors, what a scenario leaves, and in logs/ the wire and the
# output of every program, to read when something failed. `run.sh approve` plays only that scenario.
set -euo pipefail
[ "${BASH_VERSINFO[0]}" -ge 4 ] || { echo "editors/test needs bash 4" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=$top/.test-editors
limit=60 # seconds for one scenario

mkdir -p "$cache"/{bin,logs,run}
exec 9>"$cache/lock"
flock 9 # two at once would share the logs

say() { printf '%s\n' "$*"; }
count() { tee -a "$cache/results"; } # lines that count
# check WHAT COMMAND…: one line, ok where the command succeeds.
check() {
	local what=$1
	shift
	if "$@" >/dev/null 2>&1; then say "ok   $what"; else say "FAIL $what"; fi | count
}
is() { [ "$1" = "$2" ]; }

# strays DIR: the processes that work in DIR, which is only ever a scenario's.
strays() {
	local p
	for p in /proc/[0-9]*; do
		case $(readlink "$p/cwd" 2>/dev/null || true) in "$1" | "$1"/*) say "${p#/proc/}" ;; esac
	done
}

# gone DIR FILE: within two seconds nobody works in DIR; whoever does is named in FILE and killed.
gone() {
	local left
	for _ in {1..40}; do
		left=$(strays "$1")
		[ -n "$left" ] || return 0
		sleep 0.05
	done
	ps -o pid,ppid,pgid,args -p "${left//$'\n'/,}" >"$2" || true
	kill -KILL $left 2>/dev/null || true
	return 1
}

editor='' # the process group of the editor that runs; the sidecar ends with it
abandon() { [ -z "$editor" ] || kill -KILL -- "-$editor" 2>/dev/null || true; }
trap abandon EXIT
trap 'exit 130' INT TERM HUP

# play NAME NVIM SCENARIO: one editor, one sidecar, one scripted model, in a home and a workspace of their own.
play() {
	local name="$1 $3" nvim=$2 scenario=$3 url='' code=0
	local dir=$cache/run/${1// /-}/$3 logs=$cache/logs/${1// /-}/$3
	rm -rf "$dir" "$logs"
	mkdir -p "$logs" "$dir"/{workspace,home,tmp,elsewhere,bin}
	printf '#!/bin/sh\nexec bash "%s" "$@"\n' "$here/sidecar.sh" >"$dir/bin/agent-sidecar"
	chmod +x "$dir/bin/agent-sidecar"
	say 'as it was' >"$dir/workspace/note.txt"
	say 'not of the workspace' >"$dir/elsewhere/other.txt"

	coproc MODEL { exec "$cache/bin/scripted" "$here/neovim/$scenario.model" 2>"$logs/model.err" 9>&-; }
	local model=$MODEL_PID model_in=${MODEL[1]}
	read -r -t 10 url <&"${MODEL[0]}" || true
	# Of the environment of whoever runs this nothing is passed on: no configuration, no key.
	(cd "$dir/workspace" && exec env -i PATH="$dir/bin:$PATH" LANG=C.UTF-8 TERM=dumb HOME="$dir/home" TMPDIR="$dir/tmp" \
		XDG_RUNTIME_DIR="$dir/tmp" XDG_STATE_HOME="$logs" XDG_CONFIG_HOME="$dir/home" XDG_DATA_HOME="$dir/home" XDG_CACHE_HOME="$dir/home" \
		OPENAI_BASE_URL="$url" OPENAI_API_KEY=none OPENAI_MODEL=scripted \
		SIDECAR="$cache/bin/agent-sidecar" README="$here/../README.md" LOGS="$logs" \
		timeout -k 5 "$limit" "$nvim" --clean --headless -n -i NONE \
		--cmd "lua package.path = [[$here/neovim/?.lua;]] .. package.path" -c "lua require('editor').play('$scenario')" \
		>"$logs/editor.out" 2>"$logs/editor.err" </dev/null 9>&-) &
	editor=$! # timeout makes itself the leader of a group
	wait "$editor" || code=$?
	abandon
	editor=''
	sed -n "s|^ok   |ok   $name: |p; s|^FAIL |FAIL $name: |p" "$logs/editor.out" | count
	check "$name: the editor came to its end (exit $code)" is "$code" 0

	local pid
	pid=$(cat "$logs/sidecar.pid" 2>/dev/null || true)
	[ -z "$pid" ] || timeout 10 tail --pid="$pid" -f /dev/null || true
	code=$(cat "$logs/sidecar.exit" 2>/dev/null || echo none)
	check "$name: the sidecar ended by itself with exit code 0 (was $code)" is "$code" 0
	check "$name: no process is left" gone "$dir" "$logs/strays"
	check "$name: the sidecar wrote nothing to stderr" test ! -s "$logs/sidecar.err"
	[ ! -e "$here/neovim/$scenario.after.sh" ] || . "$here/neovim/$scenario.after.sh"

	exec {model_in}>&-
	code=0
	wait "$model" || code=$?
	check "$name: the model was asked as its script says" is "$code" 0
}

# leg SUITE: every scenario in the Neovim of a Debian suite.
leg() {
	local nvim=$cache/neovim-$1/bin/nvim version name
	version=$("$nvim" --version | awk 'NR == 1 { print $2 }')
	for name in "${scenarios[@]}"; do play "neovim ${version#v}" "$nvim" "$name"; done
}

# install SUITE: the exit code says why not (install-neovim.sh; 124 is the time limit).
install() { timeout -k 5 600 bash "$here/install-neovim.sh" "$1" "$cache/neovim-$1" >"$cache/logs/install-$1.log" 2>&1; }

scenarios=("$@")
if [ $# = 0 ]; then
	for file in "$here"/neovim/*.model; do scenarios+=("$(basename "$file" .model)"); done
fi
cd "$top"
export CGO_ENABLED=0
go build -trimpath -o bin/agent-sidecar ./cmd/agent-sidecar
cp -f bin/agent-sidecar "$cache/bin/agent-sidecar" # a build beside this one replaces the other file
go build -trimpath -o "$cache/bin/scripted" ./testclient/scripted

: >"$cache/results"
if install trixie; then
	leg trixie
else
	check "the required Neovim, of trixie, is installed (see $cache/logs/install-trixie.log)" false
fi
code=0
install forky || code=$?
case $code in
0) leg forky ;;
3 | 124)
	say "!!"
	say "!! NOT TESTED: the newest Neovim. The archive has no suite forky or could not be reached; only the required one was tested."
	say "!! See $cache/logs/install-forky.log"
	say "!!"
	;;
*) check "the newest Neovim, of forky, is installed (see $cache/logs/install-forky.log)" false ;;
esac

failed=$(grep -c '^FAIL ' "$cache/results" || true)
say "$(grep -c '^ok ' "$cache/results" || true) passed, $failed failed"
[ "$failed" = 0 ] || say "What every program said is in $cache/logs"
[ "$failed" = 0 ]
