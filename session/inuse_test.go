package session

import (
	"context"
	"testing"
)

// What belongs to a session that is open in this process or in another one is
// not swept.
func TestInUse(t *testing.T) {
	h := newHouse(t)
	s, other := h.session(t), h.reopen()
	for _, st := range []*Store{h.Store, other} {
		if !st.InUse(s.id) {
			t.Error("open, and not in use")
		}
		if st.InUse("0099") || st.InUse("../0001") || st.InUse("") {
			t.Error("in use although there is no such session")
		}
	}
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if other.InUse(s.id) {
		t.Error("in use although nobody has it open")
	}
}
