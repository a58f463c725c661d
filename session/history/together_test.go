package history

import "testing"

// A call is what its line and its id say: one of a sub-agent is another than its
// session's of that id. What was copied into a session, and what only has a call's
// name, begins no call.
func TestCallsInAPartOfAHistory(t *testing.T) {
	calls := CallsIn("0001", []Deed{
		{Call: "a", Own: true}, {Call: "b", Own: true, child: 2}, {Call: "copied"}, {Call: "changed", Own: true, File: &FileChanged{}}, {Call: "lost", Own: true, Lost: "bash"}, {Run: "r", Own: true},
	})
	for name, want := range map[string]bool{"0001/a": true, "0001.2/b": true, "0001/b": false, "0001.2/a": false, "0002/a": false, "0001/copied": false, "0001/changed": false, "0001/lost": false, "0001/": false} {
		if calls[name] != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
