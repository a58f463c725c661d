# What only shows when the editor is gone. Emacs 28 kills the sidecar right behind the answer to shutdown.
events=$(find "$dir/home/.agent-sidecar/sessions" -name events.jsonl | grep -v /sub/)
check "$name: Emacs said shutdown" grep -aq '"method":"shutdown"' "$logs/to-sidecar"
check "$name: everything is in the log" bash -c 'tail -1 "$0" | grep -q "\"type\":\"run.ended\""' "$events"
