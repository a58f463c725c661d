check "$name: the sidecar of the second ended by itself (was $(cat "$logs/other/sidecar.exit" 2>/dev/null || echo none))" is "$(cat "$logs/other/sidecar.exit" 2>/dev/null)" 0
