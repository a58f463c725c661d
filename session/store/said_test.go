package store

import (
	"errors"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session"
)

// A message that another process has taken is known here.
func TestSaidElsewhere(t *testing.T) {
	st := newStore(t)
	other := Open(st.deps)
	if s, err := other.Said("m1"); s != nil || err != nil {
		t.Fatal(s, err)
	}
	s := begin(t, st)
	if err := st.Say("m1", s.ID()); err != nil {
		t.Fatal(err)
	}
	var locked *session.LockedError
	if _, err := other.Said("m1"); !errors.As(err, &locked) {
		t.Errorf("%v", err)
	}
}
