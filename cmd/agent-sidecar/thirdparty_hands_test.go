//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
)

// Two servers in one home: one has a session, the other is told so. Where somebody
// removes the file that is locked, whoever prompts first has it again, and the other
// one writes nothing more into it.
func TestTwoServersAndALockThatIsRemoved(t *testing.T) {
	knownProber()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		h := newPremises(t, dir, story{name: "two", config: edits, files: map[string]string{"a.txt": "a\n"}})
		defer h.stop()
		one, two := h.live(&durable.Disk{}), h.live(&durable.Disk{})
		one.hello()
		two.hello()
		prompt := func(l *life, want string) {
			t.Helper()
			raw := string(l.ask("agent/run", `{"sessionId": "0001", "prompt": "Go on."}`))
			if !strings.Contains(raw, want) {
				t.Errorf("%s, want %s", raw, want)
			}
			l.wait("1s")
		}
		locked := fmt.Sprintf(`"kind":"session_locked","pid":%d`, os.Getpid())
		one.ask("agent/run", `{"prompt": "Go on first."}`)
		prompt(two, locked)
		unlock := func() {
			t.Helper()
			locks, err := filepath.Glob(filepath.Join(h.sidecar(), "sessions", "*", "0001", "lock"))
			if err != nil || len(locks) != 1 {
				t.Fatal(locks, err)
			}
			if err := os.Remove(locks[0]); err != nil {
				t.Fatal(err)
			}
		}
		unlock()
		prompt(one, `"started"`)
		prompt(two, locked)

		unlock()
		prompt(two, `"started"`)
		prompt(one, locked)
		two.end()
		// It is free, but the log is not what the first server knows.
		prompt(one, "was changed by somebody else: it is longer than it was")
		one.end()
		for _, bad := range h.logs().Broken(false) {
			t.Error(bad)
		}
	})
}
