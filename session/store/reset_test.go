package store

import (
	"errors"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session"
)

// A process that dies between closing a session and beginning the next one leaves
// its key to whoever asks for it, with the closed one as parent; in another process
// that has it open it stays.
func TestResetIsPickedUp(t *testing.T) {
	st := newStore(t)
	s, _, err := st.New(session.NewSession{Key: "main"})
	if err != nil {
		t.Fatal(err)
	}
	var locked *session.LockedError
	if _, _, err := Open(st.deps).New(session.NewSession{Key: "main"}); !errors.As(err, &locked) {
		t.Errorf("open elsewhere: %v", err)
	}
	if done, err := s.Retire(); !done || err != nil {
		t.Fatal(done, err)
	}
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := Open(st.deps)
	next, created, err := again.New(session.NewSession{Key: "main"})
	if err != nil || !created || next.Info().Parent == nil || next.Info().Parent.SessionID != s.ID() || next.Info().Parent.CallID != "" {
		t.Fatalf("%v %v %+v", created, err, next)
	}
	if got, created, err := again.New(session.NewSession{Key: "main"}); err != nil || created || got != next {
		t.Errorf("and then: %v %v", created, err)
	}
	if _, _, err := again.New(session.NewSession{Key: "main", Reset: true}); err == nil {
		t.Error("the policy never lets a person reset")
	}
	old, err := again.Get(s.ID())
	if err != nil || old.Info().State != "closed" {
		t.Errorf("the closed one: %v", err)
	}
}

// A session that a reset has closed does not get its key back by being prompted by
// its id, neither while that runs, nor where the process died at it.
func TestResetIsForGood(t *testing.T) {
	st := newStore(t)
	writeLog(t, st, "0001", `{"version":1,"key":"main","workspaceUri":"file:///w","agent":"build","mode":"agent","runtimeMode":"local"}`,
		`"type":"session.changed","data":{"closed":true}`,
		`"runId":"r1","type":"run.started","data":{"prompt":[{"type":"text","text":"one"}],"agent":"build","model":"m","kind":"prompt"}`)
	next, created, err := st.New(session.NewSession{Key: "main"})
	if err != nil || !created {
		t.Fatalf("interrupted: created %v: %v", created, err)
	}
	if p := next.Info().Parent; p == nil || p.SessionID != "0001" {
		t.Errorf("interrupted: %+v", p)
	}
}
