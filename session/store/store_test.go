package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// A log that cannot be read is no reason to keep the session, and what failed to
// open it holds no lock.
func TestDeleteWhatCannotBeRead(t *testing.T) {
	st := newStore(t)
	dir := filepath.Join(st.dir, "0001")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := st.Get("0001"); err == nil {
			t.Fatal("a broken log was opened")
		}
	}
	if err := st.Delete(t.Context(), "0001"); err != nil || history.Exists(dir) {
		t.Error(err, history.Exists(dir))
	}
}

func TestTwoProcessesOnOneSession(t *testing.T) {
	st := newStore(t)
	s := begin(t, st)
	other := Open(st.deps)
	_, err := other.Get(s.ID())
	var locked *session.LockedError
	if !errors.As(err, &locked) || locked.PID == 0 {
		t.Errorf("%v", err)
	}
	if err := other.Delete(t.Context(), s.ID()); !errors.As(err, &locked) {
		t.Errorf("deleted under another process: %v", err)
	}
	if infos, err := other.List(Query{}); err != nil || len(infos) != 1 {
		t.Errorf("%v, %v", infos, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Get(s.ID()); err != nil {
		t.Errorf("after it was closed: %v", err)
	}
}

// While one log is being read the others are there.
func TestOthersDoNotWaitForALongLog(t *testing.T) {
	st := newStore(t)
	first, second := begin(t, st), begin(t, st)
	for _, s := range []*session.Session{first, second} {
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	reading, goOn := make(chan struct{}), make(chan struct{})
	st.deps.Disk.Fail(func(op durable.Op, path string) error {
		if op == durable.OpLock && strings.HasPrefix(path, filepath.Join(st.dir, "0001")) {
			close(reading)
			<-goOn
		}
		return nil
	})
	again := Open(st.deps)
	got := make(chan error, 2)
	for range 2 { // the second waits for the first and gets the same session
		go func() { _, err := again.Get("0001"); got <- err }()
	}
	<-reading
	if _, err := again.Get("0002"); err != nil {
		t.Error(err)
	}
	if n := len(again.Live()); n != 1 {
		t.Errorf("%d are open", n)
	}
	close(goOn)
	for range 2 {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}
