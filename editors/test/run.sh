#!/usr/bin/env bash
# Plays editors/test/neovim against the real binary in real Neovims. One line a check, "N passed, N failed" at the end, exit code 1
# where something failed. Everything lies below .test-editors: editors, what a scenario leaves, and in logs/ the wire and the
# output of every program, to read when something failed. `run.sh approve` plays only that scenario.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=$top/.test-editors
limit=60 # seconds for one scenario

say() { printf '%s\n' "$*"; }
# check WHAT COMMAND…: one line that counts.
check() {
	local what=$1
	shift
	if "$@" >/dev/null 2>&1; then say "ok   $what"; else say "FAIL $what"; fi
}
is() { [ "$1" = "$2" ]; }

# strays DIR: the processes that work in DIR, which is only ever a scenario's.
strays() {
	local p
	for p in /proc/[0-9]*; do
		case $(readlink "$p/cwd" 2>/dev/null || true) in "$1" | "$1"/*) say "${p#/proc/}" ;; esac
	done
}

# play NAME NVIM SCENARIO: one editor, one sidecar, one scripted model, in a home and a workspace of their own.
play() {
	local name="$1 $3" nvim=$2 scenario=$3 url='' code=0 left
	local dir=$cache/run/${1// /-}/$3 logs=$cache/logs/${1// /-}/$3
	rm -rf "$dir" "$logs"
	mkdir -p "$logs" "$dir"/{workspace,home,tmp,elsewhere}
	say 'as it was' >"$dir/workspace/note.txt"
	say 'not of the workspace' >"$dir/elsewhere/other.txt"

	coproc MODEL { exec "$cache/bin/scripted" "$here/neovim/$scenario.model" 2>"$logs/model.err"; }
	local model=$MODEL_PID model_in=${MODEL[1]}
	read -r -t 10 url <&"${MODEL[0]}" || true
	# Of the environment of whoever runs this nothing is passed on: no configuration, no key.
	(cd "$dir/workspace" && exec env -i PATH="$PATH" LANG=C.UTF-8 TERM=dumb HOME="$dir/home" TMPDIR="$dir/tmp" \
		XDG_RUNTIME_DIR="$dir/tmp" XDG_STATE_HOME="$logs" XDG_CONFIG_HOME="$dir/home" XDG_DATA_HOME="$dir/home" XDG_CACHE_HOME="$dir/home" \
		OPENAI_BASE_URL="$url" OPENAI_API_KEY=none OPENAI_MODEL=scripted \
		SIDECAR="$cache/bin/agent-sidecar" SIDECAR_COMMAND="$here/sidecar.sh" LOGS="$logs" \
		timeout -k 5 "$limit" "$nvim" --clean --headless -n -i NONE \
		--cmd "lua package.path = [[$here/neovim/?.lua;]] .. package.path" -c "lua require('editor').play('$scenario')" \
		>"$logs/editor.out" 2>"$logs/editor.err" </dev/null) || code=$?
	sed -n "s|^ok   |ok   $name: |p; s|^FAIL |FAIL $name: |p" "$logs/editor.out"
	check "$name: the editor came to its end (exit $code)" is "$code" 0

	local pid
	pid=$(cat "$logs/sidecar.pid" 2>/dev/null || true)
	[ -z "$pid" ] || timeout 10 tail --pid="$pid" -f /dev/null || true
	code=$(cat "$logs/sidecar.exit" 2>/dev/null || echo none)
	check "$name: the sidecar ended by itself with exit code 0 (was $code)" is "$code" 0
	left=$(strays "$dir")
	check "$name: no process is left" is "$left" ''
	[ -z "$left" ] || kill -KILL $left 2>/dev/null || true
	check "$name: the sidecar wrote nothing to stderr" test ! -s "$logs/sidecar.err"
	[ ! -e "$here/neovim/$scenario.after.sh" ] || . "$here/neovim/$scenario.after.sh"

	exec {model_in}>&-
	code=0
	wait "$model" || code=$?
	check "$name: the model was asked as its script says" is "$code" 0
}

# leg NAME SUITE: every scenario in the Neovim of a Debian suite.
leg() {
	local nvim=$cache/neovim-$2/bin/nvim version name
	version=$("$nvim" --version | awk 'NR == 1 { print $2 }')
	for name in "${scenarios[@]}"; do play "neovim ${version#v}" "$nvim" "$name"; done
}

# install SUITE: the exit code says why not (install-neovim.sh).
install() { bash "$here/install-neovim.sh" "$1" "$cache/neovim-$1" >"$cache/logs/install-$1.log" 2>&1; }

scenarios=("$@")
if [ $# = 0 ]; then
	for file in "$here"/neovim/*.model; do scenarios+=("$(basename "$file" .model)"); done
fi
cd "$top"
mkdir -p "$cache"/{bin,logs,run}
rm -f "$cache/results"
export CGO_ENABLED=0
go build -trimpath -o bin/agent-sidecar ./cmd/agent-sidecar
cp -f bin/agent-sidecar "$cache/bin/agent-sidecar" # a build beside this one replaces the other file
go build -trimpath -o "$cache/bin/scripted" ./testclient/scripted

{
	if install trixie; then
		leg required trixie
	else
		say "FAIL neovim of trixie, the required one, could not be installed: see $cache/logs/install-trixie.log"
	fi
	code=0
	install forky || code=$?
	case $code in
	0) leg newest forky ;;
	3)
		say "!!"
		say "!! NOT TESTED: the newest Neovim. The archive has no suite forky or could not be reached; only the required one was tested."
		say "!! See $cache/logs/install-forky.log"
		say "!!"
		;;
	*) say "FAIL neovim of forky came and could not be installed: see $cache/logs/install-forky.log" ;;
	esac
} | tee "$cache/results"

failed=$(grep -c '^FAIL ' "$cache/results" || true)
say "$(grep -c '^ok ' "$cache/results" || true) passed, $failed failed"
[ "$failed" = 0 ] || say "What every program said is in $cache/logs"
[ "$failed" = 0 ]
