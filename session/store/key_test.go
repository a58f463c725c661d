package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session"
)

// An old key in a log is what it means today, for lists, for finding and when the
// session is open, and the log keeps its bytes.
func TestOldKeyIsFound(t *testing.T) {
	st := newStore(t)
	dir := writeLog(t, st, "0001", `{"version":1,"key":"agent:main:Slack:direct:u1","agent":"build"}`)
	writeLog(t, st, "0002", `{"version":1,"key":"/../nonsense","agent":"build"}`)
	before, _ := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	const want = "workspace:w/agent:build/dm:slack:u1"
	for _, form := range []string{"dm:slack:u1", "agent:main:slack:direct:u1", want, "0001"} {
		s, created, err := st.New(session.NewSession{Key: form})
		if err != nil || created || s.ID() != "0001" || s.Info().SessionKey != want {
			t.Errorf("%q: %v %v", form, created, err)
		}
	}
	if s, err := st.Get("0002"); err != nil || s.Info().SessionKey != "workspace:w/agent:build/session:0002" {
		t.Error(err)
	}
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	info, _ := os.ReadFile(filepath.Join(dir, "info.json"))
	if !bytes.Equal(before, after) || bytes.Contains(info, []byte("agent:main")) || !bytes.Contains(info, []byte(want)) {
		t.Errorf("%s\n%s", after, info)
	}
}

// A key that names a session by its id never makes another one of that name.
func TestKeyOfAnId(t *testing.T) {
	st := newStore(t)
	for _, key := range []string{"session:0001", "0001", "session:e0001", "session:..", "workspace:v/agent:build/session:0001"} {
		if _, _, err := st.New(session.NewSession{Key: key}); err == nil {
			t.Errorf("%q made a session", key)
		}
	}
	s := begin(t, st)
	for _, key := range []string{"session:0001", "0001", s.Info().SessionKey} {
		if got, created, err := st.New(session.NewSession{Key: key}); err != nil || created || got != s {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// Two processes that get a new key at the same time make one session between them,
// and no id is given twice.
func TestTwoMakersOneKey(t *testing.T) {
	st := newStore(t)
	other := Open(st.deps)
	type made struct {
		created bool
		err     error
	}
	results := make(chan made)
	for i := range 100 {
		from := []*Store{st, other}[i%2]
		go func() {
			_, created, err := from.New(session.NewSession{Key: "main"})
			results <- made{created, err}
		}()
	}
	created, refused := 0, 0
	for range 100 {
		switch m := <-results; {
		case m.created:
			created++
		case m.err != nil:
			refused++ // the session is open in the other one
		}
	}
	if infos, err := Open(st.deps).List(Query{}); created != 1 || refused != 50 || len(infos) != 1 {
		t.Errorf("%d made, %d refused: %v, %v", created, refused, infos, err)
	}
}
