//go:build !windows

package sandbox

import (
	"bytes"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/internal/proc"
)

// What holds the output of a command that ended is waited for, and nothing else is. Where
// the wait is an hour, a command that should not wait ends at once or this test never does.
func TestBackgroundChild(t *testing.T) {
	for _, row := range []struct {
		held     time.Duration
		script   string
		want     string
		outlived int
	}{
		{time.Millisecond, "sleep 1000 & echo done", "done\n", 1},
		{time.Hour, "sleep 1000 >/dev/null 2>&1 & echo done", "done\n", 1},
		{time.Hour, "(sleep 0.1; echo late) & echo done", "done\nlate\n", 0},
	} {
		var out bytes.Buffer
		c := proc.Command{Args: []string{"/bin/sh", "-c", row.script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}}
		exit, outlived, err := execute(t.Context(), c, &out, row.held)
		if err != nil || exit.Code != 0 || outlived != row.outlived || out.String() != row.want {
			t.Errorf("%s: %+v, %d outlived it, %q, %v", row.script, exit, outlived, &out, err)
		}
	}
}
