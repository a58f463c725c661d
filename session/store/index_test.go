package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

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
	appendLog(t, filepath.Join(st.dir, "0003"), `{"seq":4,"time":"2026-05-05T00:00:00.000Z","type":"session.changed","data":{"title":"Changed"}}`+"\n")
	if err := os.RemoveAll(filepath.Join(st.dir, "0004")); err != nil {
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
