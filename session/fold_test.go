package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// longLines are those of a session that was killed in a call, under full access and with a
// question open, behind megabytes of results.
func longLines(t *testing.T) (lines []string) {
	yes, full := true, tool.ModeFullAccess
	say := func(b history.Body) {
		e := history.Event{Seq: int64(len(lines) + 1), Time: time.UnixMilli(1).UTC(), Run: "r", Body: b}
		line, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	say(history.Opened{Version: 1, Key: "workspace:w/agent:build/main", Agent: "build", Mode: "agent", RuntimeMode: "local"})
	say(history.Changed{Mode: &full, Tainted: &yes})
	say(history.ApprovalResolved{ApprovalID: "a0", Grants: []control.Rule{{Domain: "bash", Pattern: "make", Decision: "allow"}}})
	say(prompt("Go on for long."))
	for i := range 30 {
		id := fmt.Sprint("c", i)
		say(calls(id))
		say(history.ToolReturned{CallID: id, Tool: "read", Status: "completed", Text: strings.Repeat("x", 150<<10)})
		if i%10 == 9 {
			say(history.ContextCompacted{OK: true, Summary: "S", KeepFrom: int64(len(lines) - 1)})
		}
	}
	say(calls("open"))
	say(history.Approval{ApprovalID: "a1", CallID: "open"})
	return lines
}

// A session that is opened from its fold is the one that is opened from its log: what was
// left open is closed the same, full access has ended, and taint and grants are there.
func TestASessionIsOpenedFromItsFold(t *testing.T) {
	var states []*history.Transcript
	for _, name := range []string{"the log", "the fold"} {
		h := newHouse(t)
		path := writeLog(t, h, longLines(t)...)
		fold := filepath.Join(filepath.Dir(path), "events.fold")
		if name == "the fold" {
			if s, err := h.open("0001"); err != nil || errors.Join(s.shut(), s.folder.lock.Close()) != nil { // it leaves one
				t.Fatal(err)
			}
			whole, err := os.ReadFile(path)
			if err == nil { // the process died before it had closed anything
				lines := strings.SplitAfter(string(whole), "\n")
				err = os.WriteFile(path, []byte(strings.Join(lines[:len(longLines(t))], "")), 0o600)
			}
			if _, missing := os.Stat(fold); errors.Join(err, missing) != nil {
				t.Fatal(err, missing)
			}
		}
		looked := Glance(h.deps, "0001", filepath.Dir(path)).Info()
		s, err := h.open("0001")
		if err != nil {
			t.Fatal(err)
		}
		if looked.Title != "Go on for long." || looked.CompactionCount != 3 || len(s.Pending()) > 0 {
			t.Errorf("%s: looked at: %+v", name, looked)
		}
		state := *stateOf(s)
		if !state.Tainted || state.Info.Mode != "agent" || len(state.Grants) != 1 || state.Run != nil || len(state.OpenCalls) > 0 {
			t.Errorf("%s: %+v", name, state)
		}
		states = append(states, &state)
		if err := errors.Join(s.shut(), s.folder.lock.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := sayings(states[0]), sayings(states[1]); a != b {
		t.Errorf("from the log\n%.2000s\nfrom the fold\n%.2000s", a, b)
	}
	if a, b := states[0].Info, states[1].Info; !reflect.DeepEqual(a, b) {
		t.Errorf("from the log\n%+v\nfrom the fold\n%+v", a, b)
	}
}

// sayings are what the model would be asked, and what is open.
func sayings(t *history.Transcript) string {
	var out strings.Builder
	for _, m := range t.Messages(func(string) ([]byte, error) { return nil, nil }) {
		fmt.Fprintf(&out, "%s %d %.40s %v\n", m.Role, len(m.Text), m.Text, m.Calls)
	}
	fmt.Fprintln(&out, t.Interrupted, t.Last, len(t.CallIDs), t.Seq, t.Total())
	return out.String()
}
