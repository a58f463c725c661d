# What only shows when the editor is gone.
check "$name: nothing ran" is "$(cat "$dir/workspace/note.txt")" 'as it was'
events=$(find "$dir/home/.agent-sidecar/sessions" -name events.jsonl)
check "$name: the question was withdrawn in the log" grep -q '"type":"approval.resolved".*"by":"cancel"' "$events"
check "$name: the run has its end in the log" bash -c 'tail -1 "$0" | grep -q "\"type\":\"run.ended\".*\"stopReason\":\"cancelled\""' "$events"
