package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/session"
)

// What processes that died have left of sessions is removed when it is old and nobody
// has it: folders without a log, and ephemeral sessions.
func TestSweep(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	st := newStore(t)
	live, _, err := st.New(session.NewSession{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close(t.Context())
	kept, _, err := st.New(session.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close(t.Context())
	old := time.Now().Add(-2 * unbegunFor)
	folder := func(path string, at time.Time, files ...string) string {
		t.Helper()
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if err := os.WriteFile(filepath.Join(path, name), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, stays := range map[string]bool{
		folder(filepath.Join(st.dir, "0701"), old, "lock"):                                  false,
		folder(filepath.Join(st.dir, "0702"), time.Now(), "lock"):                           true, // somebody may be making it
		folder(filepath.Join(st.dir, "0703"), old, "events.jsonl"):                          true,
		folder(filepath.Join(st.dir, "other"), old, "x"):                                    true,
		folder(kept.Dir(), old):                                                             true,
		folder(live.Dir(), old):                                                             true, // open here
		folder(filepath.Join(temp, "agent-sidecar-session-1"), old, "events.jsonl", "lock"): false,
		folder(filepath.Join(temp, "agent-sidecar-session-2"), time.Now(), "events.jsonl"):  true,
		folder(filepath.Join(temp, "something-else"), old, "x"):                             true,
	} {
		defer func() {
			if _, err := os.Stat(path); (err == nil) != stays {
				t.Errorf("%s: %v", path, err)
			}
		}()
	}
	if err := st.Sweep(); err != nil {
		t.Error(err)
	}
}
