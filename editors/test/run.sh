#!/usr/bin/env bash
# Plays the tests of every editor against the real binary: editors/test/<editor>/play.sh, one editor after another and in each but VS Code two
# scenarios at a time (AGENT_SIDECAR_AT_ONCE), with one line a check and
# "N passed, N failed" at the end; exit code 1 where something failed. Everything lies below .test-editors: the editors, what a
# scenario leaves, and in logs/ the wire and the output of every program, to read when something failed.
#
#     run.sh                   every scenario in every editor
#     run.sh neovim            one editor
#     run.sh neovim approve    one scenario
set -euo pipefail
[ "${BASH_VERSINFO[0]}" -ge 4 ] || { echo "editors/test needs bash 4" >&2; exit 1; }
. "$(dirname "$0")/lib.sh"

editors=("${1:-}")
[ $# -gt 0 ] || editors=($(cd "$here" && ls -d */play.sh | xargs -n1 dirname))
[ -e "$here/${editors[0]}/play.sh" ] || { echo "there is no $here/${editors[0]}/play.sh" >&2; exit 1; }

mkdir -p "$cache"/{bin,logs,run}
exec 9>"$cache/lock"
flock 9 # two at once would share the logs
: >"$cache/results"

cd "$top"
export CGO_ENABLED=0
go build -trimpath -o bin/agent-sidecar ./cmd/agent-sidecar
cp -f bin/agent-sidecar "$cache/bin/agent-sidecar" # a build beside this one replaces the other file
go build -trimpath -o "$cache/bin/scripted" ./testclient/scripted

playing='' # it ends its editor where it is told to end
trap '[ -z "$playing" ] || kill "$playing" 2>/dev/null || true' EXIT
for name in "${editors[@]}"; do
	code=0
	bash "$here/$name/play.sh" "${@:2}" 9>&- &
	playing=$!
	wait "$playing" || code=$?
	[ "$code" = 0 ] || check "$name: its tests came to their end (exit $code)" false
done

failed=$(grep -c '^FAIL ' "$cache/results" || true)
say "$(grep -c '^ok ' "$cache/results" || true) passed, $failed failed"
[ "$failed" = 0 ] || say "What every program said is in $cache/logs"
[ "$failed" = 0 ]
