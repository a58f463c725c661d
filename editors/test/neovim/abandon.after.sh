# What only shows when the editor is gone.
events=$(find "$dir/home/.agent-sidecar/sessions" -name events.jsonl)
check "$name: the call has its end in the log" grep -q '"type":"tool.returned".*"status":"cancelled"' "$events"
check "$name: the run has its end in the log" bash -c 'tail -1 "$0" | grep -q "\"type\":\"run.ended\".*\"stopReason\":\"cancelled\""' "$events"
