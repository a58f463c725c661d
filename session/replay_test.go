package session

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// FuzzReplay opens any bytes as a log. It never panics; what cannot be read is
// an error that names the file and the line, or the place; what can be read is
// read again as the same.
func FuzzReplay(f *testing.F) {
	s := &story{t: &testing.T{}, live: history.NewTranscript()}
	s.add(history.Opened{Version: 1, Key: "k", Agent: "build"}, prompt("p"), calls("a", "b"), steered("s"), result("a"),
		history.Approval{ApprovalID: "x", CallID: "b"}, history.SubagentStarted{Path: "explore#1", CallID: "b"}, history.RunQueued{ItemID: "q", Request: history.Request{Prompt: history.Text("later")}},
		history.ContextCompacted{OK: true, Summary: "S", KeepFrom: 3})
	var all []byte
	for _, l := range s.lines {
		all = append(append(all, l...), '\n')
	}
	f.Add(all)
	f.Add(all[:len(all)-20])
	f.Add([]byte("{}\n"))
	f.Add([]byte(strings.Replace(string(all), `"seq":4`, `"seq":3`, 1)))
	f.Add([]byte(`{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"context.compacted","data":{"ok":true,"keepFrom":-5}}` + "\n"))
	f.Add([]byte(`{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"subagent.started","data":{"path":"../../x"}}` + "\n"))
	h := newHouse(f)
	dir := filepath.Join(h.dir, "0001")
	path := filepath.Join(dir, "events.jsonl")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	h.disk.Freeze() // what recovery writes stays in memory: the disk is not what is tried here
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		first, err := fold(path)
		if err != nil {
			if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "line") {
				t.Fatalf("the error does not say where: %v", err)
			}
			return
		}
		if second, err := fold(path); err != nil || !reflect.DeepEqual(first, second) {
			t.Fatalf("%v: replayed\n%+v\nand again\n%+v", err, first, second)
		}
		s := blank(h.deps, "0001", dir, history.Origin{Session: "0001"}, nil)
		if err := s.load(); err != nil {
			t.Fatal(err)
		}
		stateOf(s).Messages(s.intake.blobs.get)
		if stateOf(s).Run != nil || len(stateOf(s).OpenCalls) > 0 || len(stateOf(s).Pending) > 0 || len(stateOf(s).Children) > 0 {
			t.Fatalf("something is open after recovery: %+v", stateOf(s))
		}
	})
}

func fold(path string) (*history.Transcript, error) {
	t := history.NewTranscript()
	err := history.Read(filepath.Dir(path)).Each(1, t.Apply)
	return t, err
}

func TestABadLineIsNamed(t *testing.T) {
	h := newHouse(t)
	path := writeLog(t, h,
		`{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"session.opened","data":{"version":1}}`,
		`{"seq":2,"time":"2026-01-01T00:00:00.000Z","type":"run.started","data":{"prompt":7}}`,
		`{"seq":3,"time":"2026-01-01T00:00:00.000Z","type":"run.ended","data":{}}`)
	before, _ := os.ReadFile(path)
	_, err := h.open("0001")
	if want := path + ": line 2: run.started"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("a log that cannot be read was changed")
	}
	if _, err := h.open("0001"); err == nil || strings.Contains(err.Error(), "open in another process") {
		t.Errorf("the lock was kept: %v", err)
	}
}

func TestPages(t *testing.T) {
	h := newHouse(t)
	s := h.session(t)
	for i := range 9 {
		title := strings.Repeat("x", 1000)
		if i%2 == 0 {
			if _, err := s.Update(Update{SystemPrompt: &title}); err != nil {
				t.Fatal(err)
			}
		} else if err := s.journal.Append("", history.PlanUpdated{Items: []history.PlanItem{{ID: fmt.Sprint(i)}}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		q     history.PageQuery
		seqs  string
		next  int64
		more  bool
		title string
	}{
		{history.PageQuery{}, "[1 2 3 4 5 6 7 8 9 10]", 10, false, "everything"},
		{history.PageQuery{After: 3, Before: 6}, "[4 5]", 5, false, "both bounds are exclusive"},
		{history.PageQuery{After: 2, Limit: 2}, "[3 4]", 4, true, "a limit"},
		{history.PageQuery{After: 10}, "[]", 10, false, "the end"},
		{history.PageQuery{After: 99}, "[]", 99, false, "behind the end"},
		{history.PageQuery{After: -5, Limit: 1}, "[1]", 1, true, "before the beginning"},
		{history.PageQuery{Types: []string{"plan.updated"}, Limit: 2}, "[3 5]", 6, true, "filtered types are passed"},
		{history.PageQuery{Types: []string{"nothing"}}, "[]", 10, false, "nothing of the type"},
		{history.PageQuery{After: 1, MaxBytes: 10}, "[2]", 2, true, "at least one, whatever its size"},
		{history.PageQuery{After: 1, MaxBytes: 2000}, "[2 3]", 3, true, "bytes"},
	} {
		p, err := s.Events(t.Context(), row.q)
		var seqs []int64
		for _, e := range p.Events {
			seqs = append(seqs, e.Seq)
		}
		if err != nil || fmt.Sprint(seqs) != row.seqs || p.NextAfter != row.next || p.HasMore != row.more || p.TailSeq != 10 {
			t.Errorf("%s: %v next %d more %v tail %d, %v", row.title, seqs, p.NextAfter, p.HasMore, p.TailSeq, err)
		}
	}
	if _, err := s.Events(t.Context(), history.PageQuery{Agent: []string{"../x#1"}}); err == nil {
		t.Error("a sub-agent that is none")
	}
}
