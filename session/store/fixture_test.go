package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// newStore is a store in a folder of its own, whose sessions are kept and never
// run.
func newStore(t testing.TB) *Store {
	t.Helper()
	disk, home := &durable.Disk{}, t.TempDir()
	config, err := config.Open(filepath.Join(home, "config"), config.Options{Disk: disk})
	if err != nil {
		t.Fatal(err)
	}
	return Open(&session.Deps{
		Disk: disk, Home: home, WorkspaceID: "w", WorkspaceURI: "file:///w", Config: config,
		Here:   &session.Place{Surroundings: session.None{}, Files: session.None{}, Tools: session.None{}, Artifacts: session.None{}, Jobs: session.None{}},
		Models: session.None{}, Audits: session.None{}, Notifier: nobodyListens{}, Locks: session.NewLocks(),
	})
}

// begin makes a session.
func begin(t testing.TB, st *Store) *session.Session {
	t.Helper()
	return beginAs(t, st, "")
}

// beginAs makes a session of that title.
func beginAs(t testing.TB, st *Store, title string) *session.Session {
	t.Helper()
	s, _, err := st.New(session.NewSession{Title: title})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type nobodyListens struct{}

func (nobodyListens) Event(history.Origin, history.Event) {}

func (nobodyListens) Ephemeral(history.Origin, history.Ephemeral) {}

const openedMain = `{"version":1,"key":"workspace:w/agent:build/main","workspaceUri":"file:///w","agent":"build","mode":"agent","runtimeMode":"local"}`

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

// appendLog adds to the log in dir what another process would; a last line may be
// half written.
func appendLog(t testing.TB, dir, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, "events.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
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
