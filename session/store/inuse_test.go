package store

import "testing"

// What belongs to a session that is open in this process or in another one is
// not swept.
func TestInUse(t *testing.T) {
	st := newStore(t)
	s, other := begin(t, st), Open(st.deps)
	for _, st := range []*Store{st, other} {
		if !st.InUse(s.ID()) {
			t.Error("open, and not in use")
		}
		if st.InUse("0099") || st.InUse("../0001") || st.InUse("") {
			t.Error("in use although there is no such session")
		}
	}
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if other.InUse(s.ID()) {
		t.Error("in use although nobody has it open")
	}
}
