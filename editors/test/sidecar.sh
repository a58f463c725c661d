#!/usr/bin/env bash
# What the editor is told to start: the sidecar, with both directions of its wire and its exit code kept in $LOGS; one that is started
# again goes on there. The sidecar reads what the editor writes and nothing ends but with it, so the end of the editor's pipe arrives
# as such. It is watched from behind: some editors kill what they have started, which is this shell, or hang up on all of it (Emacs),
# and the sidecar's end is seen all the same.
trap : HUP # not ignored, or the sidecar would ignore it
(
	trap : HUP
	echo "$BASHPID" >"$LOGS/sidecar.pid"
	"$SIDECAR" --home "$HOME/.agent-sidecar" --log "$LOGS/sidecar.log" "$@" \
		< <(trap '' HUP && exec tee -a "$LOGS/to-sidecar" 2>/dev/null) \
		> >(trap '' HUP && exec tee -a "$LOGS/from-sidecar" 2>/dev/null) 2>"$LOGS/sidecar.err"
	code=$?
	echo "$code" >"$LOGS/sidecar.exit"
	exit "$code"
) <&0 &
wait "$!"
