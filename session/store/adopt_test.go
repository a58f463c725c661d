package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/agent-sidecar/agent-sidecar/internal/durable/unsynced" // nothing here waits for the drive
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// A log from elsewhere becomes a new session with its own number and key; one that
// cannot be written or read leaves nothing, and its number is not used again. An
// agent that is not here becomes build.
func TestAdopt(t *testing.T) {
	st := newStore(t)
	begin(t, st)
	full := errors.New("no room")
	if s, err := st.Adopt("build", func(p Place) error {
		_ = os.WriteFile(filepath.Join(p.Dir, "half"), nil, 0o600)
		return full
	}); !errors.Is(err, full) || s != nil {
		t.Errorf("%v %v", s, err)
	}
	if s, err := st.Adopt("build", func(p Place) error {
		return os.WriteFile(filepath.Join(p.Dir, "events.jsonl"), []byte("{}\n{}\n"), 0o600)
	}); err == nil || s != nil {
		t.Errorf("a broken log: %v %v", s, err)
	}
	s, err := st.Adopt("nobody's", func(p Place) error {
		want := Place{"0004", filepath.Join(st.dir, "0004"), "workspace:w/agent:build/session:0004", "build"}
		if p != want {
			t.Errorf("%+v, want %+v", p, want)
		}
		line, err := history.Event{Seq: 1, Body: history.Opened{Version: 1, Key: p.Key, Agent: p.Agent, Mode: "agent"}}.Encode()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(p.Dir, "events.jsonl"), append(line, '\n'), 0o600)
	})
	if err != nil || s.Info().SessionKey != "workspace:w/agent:build/session:0004" {
		t.Fatal(s, err)
	}
	all, err := st.List(Query{})
	if err != nil || len(all) != 2 {
		t.Errorf("%d sessions, %v", len(all), err)
	}
	for _, id := range []string{"0002", "0003", "../w", "", "0009"} {
		if dir, err := st.Folder(id); err == nil {
			t.Errorf("%q lies in %s", id, dir)
		}
	}
	if dir, err := st.Folder("0004"); err != nil || dir != s.Dir() {
		t.Errorf("%s %v", dir, err)
	}
}
