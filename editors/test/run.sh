#!/usr/bin/env bash
# Plays the tests of every editor against the real binary: editors/test/<editor>/play.sh, one editor after another and in each but VS Code two
# scenarios at a time (AGENT_SIDECAR_AT_ONCE), with one line a check and
# "N passed, N failed" at the end; exit code 1 where something failed. Everything lies below .test-editors: the editors, what a
# scenario leaves, and in logs/ the wire and the output of every program, to read when something failed.
#
#     run.sh                   every scenario in every editor
#     run.sh neovim            one editor
#     run.sh neovim approve    one scenario
#     run.sh --smoke           the scenario main in one version of each editor, and the specs of the plugin; VS Code beside the others
set -euo pipefail
[ "${BASH_VERSINFO[0]}" -ge 4 ] || { echo "editors/test needs bash 4" >&2; exit 1; }
. "$(dirname "$0")/lib.sh"

if [ "${1:-}" = --smoke ]; then
	shift
	export AGENT_SIDECAR_SMOKE=yes
fi
editors=("${1:-}")
[ $# -gt 0 ] || editors=($(cd "$here" && ls -d */play.sh | xargs -n1 dirname))
[ -e "$here/${editors[0]}/play.sh" ] || { echo "there is no $here/${editors[0]}/play.sh" >&2; exit 1; }

mkdir -p "$cache"/{bin,logs,run}
exec 9>"$cache/lock"
flock 9 # two at once would share the logs
: >"$cache/results"

cd "$top"
export CGO_ENABLED=0
go build -o bin/agent-sidecar ./cmd/agent-sidecar
cp -f bin/agent-sidecar "$cache/bin/agent-sidecar" # a build beside this one replaces the other file
go build -o "$cache/bin/scripted" ./testclient/scripted

# row WORDS EDITOR…: one editor after another, each with the same words; it ends its editor where it is told to end.
row() (
	playing=''
	trap '[ -z "$playing" ] || kill "$playing" 2>/dev/null || true' EXIT
	trap 'exit 130' INT TERM HUP
	for name in "${@:2}"; do
		code=0
		bash "$here/$name/play.sh" $1 9>&- &
		playing=$!
		wait "$playing" || code=$?
		[ "$code" = 0 ] || check "$name: its tests came to their end (exit $code)" false
	done
)

beside=() # VS Code takes about as long as the others together, which mostly wait
if [ -n "${AGENT_SIDECAR_SMOKE:-}" ] && [ $# = 0 ]; then
	editors=($(printf '%s\n' "${editors[@]}" | grep -vx vscode))
	beside=(vscode)
fi
rows=()
trap '[ "${#rows[@]}" = 0 ] || kill "${rows[@]}" 2>/dev/null || true' EXIT
row "${*:2}" "${editors[@]}" 9>&- &
rows+=("$!")
if [ "${#beside[@]}" -gt 0 ]; then
	row '' "${beside[@]}" 9>&- &
	rows+=("$!")
fi
wait "${rows[@]}"

failed=$(grep -c '^FAIL ' "$cache/results" || true)
say "$(grep -c '^ok ' "$cache/results" || true) passed, $failed failed"
[ "$failed" = 0 ] || say "What every program said is in $cache/logs"
[ "$failed" = 0 ]
