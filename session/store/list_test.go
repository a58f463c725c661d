package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// writeLog makes a session as an earlier process, or a much older one, left it;
// data of the first line is opened.
func writeLog(t testing.TB, st *Store, id, opened string, more ...string) string {
	t.Helper()
	dir := filepath.Join(st.dir, id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lines := []string{fmt.Sprintf(`{"seq":1,"time":"2026-01-01T00:00:00.000Z","type":"session.opened","data":%s}`, opened)}
	for i, l := range more {
		lines = append(lines, fmt.Sprintf(`{"seq":%d,"time":"2026-01-0%dT00:00:00.000Z",%s}`, i+2, min(i+2, 9), l))
	}
	if err := os.WriteFile(filepath.Join(dir, "events.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func started(run, text string) string {
	return fmt.Sprintf(`"runId":%q,"type":"run.started","data":{"prompt":[{"type":"text","text":%q}],"agent":"build","model":"m","kind":"prompt"}`, run, text)
}

func ended(run string) string {
	return fmt.Sprintf(`"runId":%q,"type":"run.ended","data":{"stopReason":"end_turn","usage":{"inputTokens":10,"outputTokens":1,"cachedTokens":0,"context":{"used":0,"window":null,"percent":null,"generation":0}},"changes":[]}`, run)
}

func only(t *testing.T, st *Store) history.Info {
	t.Helper()
	infos, err := st.List(Query{})
	if err != nil || len(infos) != 1 {
		t.Fatalf("%v, %v", infos, err)
	}
	return infos[0]
}

const openedMain = `{"version":1,"key":"workspace:w/agent:build/main","workspaceUri":"file:///w","agent":"build","mode":"agent","runtimeMode":"local"}`

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
	add := func(lines ...string) {
		f, err := os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, l := range lines {
			if _, err := f.WriteString(l); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(`{"seq":4,"time":"2026-02-01T00:00:00.000Z",` + started("r2", "two") + "}\n")
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
	add(`{"seq":5,"time":"2026-02-02T00:00:00.000Z",`+ended("r2")+"}\n", `{"seq":6,"ti`)
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

// An old key in a log is what it means today, for lists, for finding and when the
// session is open, and the log keeps its bytes.
func TestOldKeyIsFound(t *testing.T) {
	st := newStore(t)
	dir := writeLog(t, st, "0001", `{"version":1,"key":"agent:main:Slack:direct:u1","agent":"build"}`)
	writeLog(t, st, "0002", `{"version":1,"key":"/../nonsense","agent":"build"}`)
	before, _ := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	const want = "workspace:w/agent:build/dm:slack:u1"
	for _, form := range []string{"dm:slack:u1", "agent:main:slack:direct:u1", want, "0001"} {
		s, created, err := st.New(session.NewSession{Key: form})
		if err != nil || created || s.ID() != "0001" || s.Info().SessionKey != want {
			t.Errorf("%q: %v %v", form, created, err)
		}
	}
	if s, err := st.Get("0002"); err != nil || s.Info().SessionKey != "workspace:w/agent:build/session:0002" {
		t.Error(err)
	}
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	info, _ := os.ReadFile(filepath.Join(dir, "info.json"))
	if !bytes.Equal(before, after) || bytes.Contains(info, []byte("agent:main")) || !bytes.Contains(info, []byte(want)) {
		t.Errorf("%s\n%s", after, info)
	}
}

// A key that names a session by its id never makes another one of that name.
func TestKeyOfAnId(t *testing.T) {
	st := newStore(t)
	for _, key := range []string{"session:0001", "0001", "session:e0001", "session:..", "workspace:v/agent:build/session:0001"} {
		if _, _, err := st.New(session.NewSession{Key: key}); err == nil {
			t.Errorf("%q made a session", key)
		}
	}
	s := begin(t, st)
	for _, key := range []string{"session:0001", "0001", s.Info().SessionKey} {
		if got, created, err := st.New(session.NewSession{Key: key}); err != nil || created || got != s {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// Two processes that get a new key at the same time make one session between them,
// and no id is given twice.
func TestTwoMakersOneKey(t *testing.T) {
	st := newStore(t)
	other := Open(st.deps)
	type made struct {
		created bool
		err     error
	}
	results := make(chan made)
	for i := range 100 {
		from := []*Store{st, other}[i%2]
		go func() {
			_, created, err := from.New(session.NewSession{Key: "main"})
			results <- made{created, err}
		}()
	}
	created, refused := 0, 0
	for range 100 {
		switch m := <-results; {
		case m.created:
			created++
		case m.err != nil:
			refused++ // the session is open in the other one
		}
	}
	if infos, err := Open(st.deps).List(Query{}); created != 1 || refused != 50 || len(infos) != 1 {
		t.Errorf("%d made, %d refused: %v, %v", created, refused, infos, err)
	}
}

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
	if _, err := other.Said("m1"); err == nil || !asLocked(err, &locked) {
		t.Errorf("%v", err)
	}
}

func asLocked(err error, into **session.LockedError) bool {
	l, ok := err.(*session.LockedError)
	*into = l
	return ok
}

// manySessions writes n sessions as earlier processes left them.
func manySessions(t testing.TB, n int) *Store {
	st := newStore(t)
	for i := range n {
		dir := writeLog(t, st, fmt.Sprintf("%04d", i+1), openedMain, started("r1", "one"), ended("r1"))
		mark, err := history.MarkOf(dir)
		if err != nil {
			t.Fatal(err)
		}
		about := history.About{Info: history.Info{SessionKey: "workspace:w/agent:build/main", Agent: "build", Title: fmt.Sprint("Session ", i), UpdatedAt: "2026-01-03T00:00:00.000Z"}, Seq: 3, Bytes: mark.Bytes, FirstPrompt: "one"}
		if err := about.Save(nil, dir); err != nil {
			t.Fatal(err)
		}
	}
	return st
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

// The index spares the first list of a process the reading, and is believed only
// as far as it fits the logs.
func TestIndex(t *testing.T) {
	st := manySessions(t, enoughNews)
	path := filepath.Join(st.dir, indexFile)
	want, err := st.List(Query{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal("there is no index: ", err)
	}
	for name, spoil := range map[string]func(){
		"whole":   func() {},
		"lost":    func() { _ = os.Remove(path) },
		"torn":    func() { _ = os.WriteFile(path, whole[:len(whole)/2], 0o600) },
		"empty":   func() { _ = os.WriteFile(path, nil, 0o600) },
		"garbage": func() { _ = os.WriteFile(path, []byte(strings.Repeat("\xff", 1000)), 0o600) },
	} {
		spoil()
		got, err := Open(st.deps).List(Query{})
		if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); err != nil || a != b {
			t.Errorf("%s: %v\n%s, want\n%s", name, err, a, b)
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// It is what is read: without its info.json a session says the same.
	for _, i := range want {
		if err := os.Remove(filepath.Join(st.dir, i.ID, "info.json")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := Open(st.deps).List(Query{}); err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("it is not read: %v", err)
	}
	// What has changed since is looked at; what is gone is gone.
	f, err := os.OpenFile(filepath.Join(st.dir, "0003", "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(`{"seq":4,"time":"2026-05-05T00:00:00.000Z","type":"session.changed","data":{"title":"Changed"}}` + "\n")
	}
	if err := errors.Join(err, f.Close(), os.RemoveAll(filepath.Join(st.dir, "0004"))); err != nil {
		t.Fatal(err)
	}
	got, err := Open(st.deps).List(Query{})
	if err != nil || len(got) != len(want)-1 || got[0].ID != "0003" || got[0].Title != "Changed" {
		t.Errorf("%d, %+v, %v", len(got), got[0], err)
	}
}

// A nought in usage is not null after it has been through the index.
func TestIndexKeepsNought(t *testing.T) {
	st := newStore(t)
	nought := 0.0
	st.looked["0001"] = looked{about: history.About{Info: history.Info{ID: "0001", Usage: history.Usage{Context: history.Context{Percent: &nought}}}}}
	st.news = enoughNews
	if err := os.MkdirAll(st.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	st.writeIndex([]string{"0001"})
	again := Open(st.deps)
	again.readIndex()
	if p := again.looked["0001"].about.Usage.Context.Percent; p == nil || *p != 0 {
		t.Error(p)
	}
}
