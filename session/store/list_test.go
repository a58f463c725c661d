package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session"
)

// Whatever has become of info.json, the list says what the log says.
func TestListMendsWhatItKnows(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string, raw []byte) []byte{
		"as it was written": func(_ *testing.T, _ string, raw []byte) []byte { return raw },
		"lost":              func(_ *testing.T, path string, raw []byte) []byte { _ = os.Remove(path); return nil },
		"empty":             func(*testing.T, string, []byte) []byte { return []byte{} },
		"torn":              func(_ *testing.T, _ string, raw []byte) []byte { return raw[:len(raw)/2] },
		"of another log":    func(*testing.T, string, []byte) []byte { return []byte(`{"sessionKey":"x","title":"lies","bytes":7}`) },
		"longer than the log": func(*testing.T, string, []byte) []byte {
			return []byte(`{"sessionKey":"x","title":"lies","bytes":70000000}`)
		},
		"negative": func(*testing.T, string, []byte) []byte { return []byte(`{"sessionKey":"x","title":"lies","bytes":-1}`) },
	} {
		t.Run(name, func(t *testing.T) {
			st := newStore(t)
			dir := writeLog(t, st, "0001", openedMain, started("r1", "find the needle"), ended("r1"), `"type":"session.changed","data":{"title":"A title"}`)
			s, err := st.Get("0001")
			if err != nil {
				t.Fatal(err)
			}
			want := s.Info()
			if err := st.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "info.json")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if raw = spoil(t, path, raw); raw != nil {
				if err := os.WriteFile(path, raw, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := only(t, Open(st.deps))
			if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); a != b {
				t.Errorf("\n%s, want\n%s", a, b)
			}
			if found, _ := Open(st.deps).List(Query{Text: "NEEDLE"}); len(found) != 1 {
				t.Error("its first prompt is not found")
			}
		})
	}
}

// What another process has written since is seen, with what info.json knows as
// the beginning, and nothing is counted twice.
func TestListSeesWhatWasWrittenSince(t *testing.T) {
	st := newStore(t)
	dir := writeLog(t, st, "0001", openedMain, started("r1", "one"), ended("r1"))
	if _, err := st.Get("0001"); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := Open(st.deps)
	if got := only(t, other); got.Usage.InputTokens != 10 || got.State != "idle" {
		t.Errorf("%+v", got)
	}
	appendLog(t, dir, `{"seq":4,"time":"2026-02-01T00:00:00.000Z",`+started("r2", "two")+"}\n")
	if got := only(t, other); got.State != "interrupted" || got.UpdatedAt != "2026-02-01T00:00:00.000Z" || got.Usage.InputTokens != 10 {
		t.Errorf("a run began: %+v", got)
	}
	lock, err := session.Lock(st.deps, "0001", dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := only(t, other); got.State != "running" {
		t.Errorf("its process lives: %+v", got)
	}
	appendLog(t, dir, `{"seq":5,"time":"2026-02-02T00:00:00.000Z",`+ended("r2")+"}\n"+`{"seq":6,"ti`)
	if got := only(t, other); got.State != "idle" || got.Usage.InputTokens != 20 {
		t.Errorf("it ended: %+v", got)
	}
	if found, _ := other.List(Query{Text: "two"}); len(found) != 1 {
		t.Error("the last prompt is not found")
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
}

// A list reads the ends of a long log and nothing between them.
func TestListReadsNoWholeHistory(t *testing.T) {
	st := newStore(t)
	var more []string
	for i := range 3000 {
		more = append(more, fmt.Sprintf(`"runId":"r1","type":"message.user","data":{"messageId":"m%d","content":[{"type":"text","text":%q}],"synthetic":true}`, i, strings.Repeat("x", 300)))
	}
	more[0] = started("r1", "the needle")
	more[1500] = `"type":"broken in the middle","data":` // whoever reads it stops here
	more[2999] = ended("r1")
	dir := writeLog(t, st, "0001", openedMain, more...)
	got := only(t, st)
	if got.Title != "the needle" || got.State != "idle" || got.UpdatedAt != "2026-01-09T00:00:00.000Z" || got.Usage.InputTokens != 10 {
		t.Errorf("%+v", got)
	}
	path := filepath.Join(dir, "events.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndex(whole[:len(whole)-1], []byte("\n"))
	// The last line alone may be longer than what is read at first.
	long := fmt.Sprintf(`{"seq":3002,"time":"2026-03-01T00:00:00.000Z","runId":"r2","type":"message.user","data":{"messageId":"m","content":[{"type":"text","text":%q}]}}`, strings.Repeat("y", 190<<10))
	if err := os.WriteFile(path, append(append(whole[:last:last], '\n'), long+"\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := only(t, st); got.UpdatedAt != "2026-03-01T00:00:00.000Z" || got.State != "interrupted" {
		t.Errorf("a last line of 190 KiB: %+v", got)
	}
}

// Each word must be there, wherever, whatever its case or Unicode form.
func TestSearch(t *testing.T) {
	st := newStore(t)
	writeLog(t, st, "0001", `{"version":1,"key":"workspace:w/agent:build/dm:slack:u1","agent":"build","title":"Über den Ofen"}`, started("r1", "Repair the STOVE"), ended("r1"), started("r2", "between"), ended("r2"), started("r3", "and paint it"), ended("r3"))
	writeLog(t, st, "0002", `{"version":1,"key":"agent:plan:main","agent":"plan"}`)
	for _, row := range []struct{ text, want string }{
		{"", "0001 0002"}, {"  ", "0001 0002"}, {"über", "0001"}, {"U\u0308BER", "0001"}, {"stove", "0001"}, {"paint STOVE", "0001"}, {"paint mars", ""},
		{"between", ""}, // neither the first nor the last prompt
		{"dm:slack", "0001"}, {"workspace:w/agent:plan/main", "0002"}, {"plan", "0002"}, {".*", ""}, {"%", ""},
	} {
		infos, err := st.List(Query{Text: row.text})
		var ids []string
		for _, i := range infos {
			ids = append(ids, i.ID)
		}
		slices.Sort(ids)
		if got := strings.Join(ids, " "); got != row.want || err != nil {
			t.Errorf("%q: %q, %v; want %q", row.text, got, err, row.want)
		}
	}
}

// What is listed is what BenchmarkList measures.
func TestListManySessions(t *testing.T) {
	st := manySessions(t, 300)
	for range 2 {
		if infos, err := st.List(Query{Text: "session"}); err != nil || len(infos) != 300 || infos[0].ID != "0300" {
			t.Errorf("%d, %v", len(infos), err)
		}
	}
}

// 5,000 sessions: the first list of a process, and the next ones.
func BenchmarkList(b *testing.B) {
	st := manySessions(b, 5000)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if infos, err := Open(st.deps).List(Query{Text: "session"}); err != nil || len(infos) != 5000 {
				b.Fatal(len(infos), err)
			}
		}
	})
	b.Run("next", func(b *testing.B) {
		for b.Loop() {
			if infos, err := st.List(Query{Text: "session"}); err != nil || len(infos) != 5000 {
				b.Fatal(len(infos), err)
			}
		}
	})
}
