# What the tests of every editor share; run.sh and each <editor>/play.sh source it. It starts nothing by itself.
#
#     places NAME SCENARIO        makes $dir with a home and a workspace of the scenario's own, an empty $logs, and $tmp for sockets
#     model FILE                  starts the scripted model; $url is where it serves
#     bare COMMAND…               runs it with nothing of the environment of whoever runs this: no configuration, no key; where $newcomer
#                                 is set the environment names no model either
#     acme [MEMBERS]              a configuration with the model as the provider acme, and more members of it
#     group COMMAND…              runs it as a process group, which ends with play.sh at the latest; its exit code
#     ended NAME [CODE]           checks that the sidecar ended by itself, with 0 or CODE (a pattern), and left nothing running
#     model_ended NAME            ends the model and checks that it was asked as its script says
#     installed WHAT SUITE        what install-WHAT.sh installs from a Debian suite is in $cache/WHAT-SUITE; else it says so, and whether that is a failure
#     wanted FOLDER [SCENARIO…]   $scenarios are those asked for, else all of FOLDER; where $smoke is set, main
#     leg EDITOR SUITE PROGRAM    every scenario in the editor of a Debian suite; where $smoke is set, in the first one only
#     at_once COMMAND WORD…       runs COMMAND for each WORD, a few at the same time: AGENT_SIDECAR_AT_ONCE, by default 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=$top/.test-editors
smoke=${AGENT_SIDECAR_SMOKE:-} # one scenario in one version of each editor

say() { printf '%s\n' "$*"; }
count() { tee -a "$cache/results"; } # lines that count
# check WHAT COMMAND…: one line, ok where the command succeeds.
check() {
	local what=$1
	shift
	if "$@" >/dev/null 2>&1; then say "ok   $what"; else say "FAIL $what"; fi | count
}
is() { [ "$1" = "$2" ]; }
like() { [[ $1 == $2 ]]; } # the second is a pattern

# said NAME FILE: the checks that the editor's side wrote into a file, one a line, count as NAME's; its warnings are only shown.
said() { sed -n "s|^ok   |ok   $1: |p; s|^FAIL |FAIL $1: |p; s|^!!   |!!   $1: |p" "$2" | count; }

# strays DIR: the processes that work in DIR, which is only ever a scenario's.
strays() {
	local p
	for p in /proc/[0-9]*; do
		case $(readlink "$p/cwd" 2>/dev/null || true) in "$1" | "$1"/*) say "${p#/proc/}" ;; esac
	done
}

# gone DIR FILE: within 20 seconds nobody works in DIR any more; whoever does is named in FILE and killed.
gone() {
	local left
	for _ in {1..400}; do
		left=$(strays "$1")
		[ -n "$left" ] || return 0
		sleep 0.05
	done
	ps -o pid,ppid,pgid,args -p "${left//$'\n'/,}" >"$2" || true
	kill -KILL $left 2>/dev/null || true
	return 1
}

editor='' # the process group that runs; the sidecar ends with it
abandon() {
	[ -z "$editor" ] || kill -KILL -- "-$editor" 2>/dev/null || true
	editor=''
}
tmp='' # of the scenario that is played
tidy() {
	[ -z "$tmp" ] || rm -rf "$tmp" || true # whoever is killed with its scenario may still write there
	tmp=''
}
lanes=() # the scenarios that are played at the same time; each ends its own editor
clear_lanes() {
	[ "${#lanes[@]}" = 0 ] || kill "${lanes[@]}" 2>/dev/null || true
	[ "${#lanes[@]}" = 0 ] || wait "${lanes[@]}" 2>/dev/null || true
	lanes=()
}
end_well() { trap 'clear_lanes; abandon; tidy' EXIT && trap 'exit 130' INT TERM HUP; } # a subshell has no traps of its own
end_well

# at_once COMMAND WORD…: most of a scenario is waiting for a person who types, an editor that draws and a model that answers. One that
# does not come to its end is a failure, and the others go on. It must not be called where bash ignores failures (before || or &&).
at_once() {
	local word lane
	for word in "${@:2}"; do
		while [ "$(jobs -rp | wc -l)" -ge "${AGENT_SIDECAR_AT_ONCE:-2}" ]; do wait -n || true; done
		(
			lanes=()
			end_well
			"$1" "$word"
		) &
		lanes+=("$!")
	done
	for lane in ${lanes[@]+"${lanes[@]}"}; do
		wait "$lane" || check "$(basename "$(dirname "$0")"): every scenario came to its end" false
	done
	lanes=()
}

# places NAME SCENARIO: NAME is an editor and its version; `agent-sidecar` in $dir/bin is the sidecar with its wire kept. $tmp does
# not lie in $dir, whose length is that of wherever this was cloned: the path of a socket has at most 107 bytes, and browsers, editors
# and terminals that have sockets end, or do without, where theirs is longer.
places() {
	tidy
	dir=$cache/run/${1// /-}/$2 logs=$cache/logs/${1// /-}/$2
	rm -rf "$dir" "$logs"
	mkdir -p "$logs" "$dir"/{workspace,home/.agent-sidecar,elsewhere,bin}
	say off >"$dir/home/.agent-sidecar/autoallow" # commands ask on every machine, unless a scenario's configuration says otherwise
	tmp=$(mktemp -d /tmp/agent-sidecar.XXXXXX)
	printf '#!/bin/sh\nexec bash "%s" "$@"\n' "$here/sidecar.sh" >"$dir/bin/agent-sidecar"
	chmod +x "$dir/bin/agent-sidecar"
	say 'as it was' >"$dir/workspace/note.txt"
	say 'not of the workspace' >"$dir/elsewhere/other.txt"
}

model() {
	coproc MODEL { exec "$cache/bin/scripted" "$1" 2>"$logs/model.err"; }
	model_pid=$MODEL_PID model_in=${MODEL[1]} url=''
	read -r -t 60 url <&"${MODEL[0]}" || true
}

acme() {
	printf '{"providers": {"acme": {"baseUrl": "%s"%s}}}\n' "$url" "${1:-}" >"$dir/home/.agent-sidecar/config.jsonc"
}

model_ended() {
	local code=0
	exec {model_in}>&-
	wait "$model_pid" || code=$?
	check "$1: the model was asked as its script says" is "$code" 0
}

bare() {
	local named=(OPENAI_BASE_URL="$url" OPENAI_API_KEY=none OPENAI_MODEL=scripted)
	[ -z "${newcomer:-}" ] || named=()
	exec env -i PATH="$dir/bin:$PATH" LANG=C.UTF-8 TERM=dumb HOME="$dir/home" TMPDIR="$tmp" \
		XDG_RUNTIME_DIR="$tmp" XDG_STATE_HOME="$logs" XDG_CONFIG_HOME="$dir/home" XDG_DATA_HOME="$dir/home" XDG_CACHE_HOME="$dir/home" \
		"${named[@]}" SIDECAR="$cache/bin/agent-sidecar" LOGS="$logs" "$@"
}

# group DIR LIMIT COMMAND…: in DIR, for LIMIT seconds at most; what it prints is in $logs/editor.{out,err}.
group() {
	local at=$1 limit=$2 code=0
	shift 2
	(cd "$at" && bare timeout -k 5 "$limit" "$@" >"$logs/editor.out" 2>"$logs/editor.err" </dev/null) &
	editor=$! # timeout makes itself the leader of a group
	wait "$editor" || code=$?
	abandon
	return "$code"
}

# await_sidecar: until it ends, for half a minute at most.
await_sidecar() {
	local pid
	pid=$(cat "$logs/sidecar.pid" 2>/dev/null || true)
	[ -z "$pid" ] || timeout 30 tail --pid="$pid" -f /dev/null || true
}

ended() {
	local code
	await_sidecar
	code=$(cat "$logs/sidecar.exit" 2>/dev/null || true)
	code=${code:-none} # who is killed while it writes the code has made an empty file
	check "$1: the sidecar ended by itself with exit code ${2:-0} (was $code)" like "$code" "${2:-0}"
	check "$1: no process is left" gone "$dir" "$logs/strays"
	check "$1: the sidecar wrote nothing to stderr" test ! -s "$logs/sidecar.err"
}

# wanted FOLDER [SCENARIO…]: every model of a folder has a scenario.
wanted() {
	local file
	scenarios=("${@:2}")
	[ $# = 1 ] || return 0
	[ -z "$smoke" ] || { scenarios=(main) && return 0; }
	for file in "$1"/*.model; do scenarios+=("$(basename "$file" .model)"); done
}

# leg EDITOR SUITE PROGRAM [newest]: where the editor is installed, `play PROGRAM VERSION SCENARIO` for each of $scenarios.
leg() {
	local program=$cache/$1-$2/bin/$3
	[ -z "$smoke" ] || [ -z "${played:-}" ] || return 0
	played=yes
	installed "$1" "$2" "${4:-}" || return 0
	[[ $("$program" --version) =~ [0-9]+(\.[0-9]+)+ ]]
	local version=${BASH_REMATCH[0]}
	one() { play "$program" "$version" "$1"; }
	at_once one "${scenarios[@]}"
}

# installed WHAT SUITE [newest]: what install-WHAT.sh could not install is a failure; of the suites that are still being made, which
# come and go, only said loudly.
installed() {
	local log=$cache/logs/install-$1-$2.log code=0
	timeout -k 5 600 bash "$here/install-$1.sh" "$2" "$cache/$1-$2" >"$log" 2>&1 || code=$?
	case $code,${3:-} in
	0,*) return 0 ;;
	3,newest | 124,newest) # the archive has no such suite or could not be reached; the time limit
		say "!!"
		say "!! NOT TESTED: $1 of the suite $2. The archive has no such suite or could not be reached; see $log"
		say "!!"
		;;
	*) check "$1 of the suite $2 is installed (see $log)" false ;;
	esac
	return 1
}

# readme HEADING LANGUAGE N: the N-th block of a language below a heading of editors/README.md that begins so, as it stands there.
readme() {
	awk -v heading="## $1" -v fence="\`\`\`$2" -v n="$3" '
		/^## / { in_section = index($0, heading) == 1 }
		/^```$/ { if (inside) found = 1; inside = 0 }
		inside { print }
		in_section && $0 == fence && ++seen == n { inside = 1 }
		END { exit !found }' "$here/../README.md"
}
