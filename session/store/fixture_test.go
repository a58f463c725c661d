package store

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/durable"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// newStore is a store in a folder of its own, whose sessions are kept and never
// run.
func newStore(t testing.TB) *Store {
	t.Helper()
	disk, home := &durable.Disk{}, t.TempDir()
	config, err := control.OpenStore(filepath.Join(home, "config"), control.StoreOptions{Disk: disk})
	if err != nil {
		t.Fatal(err)
	}
	return Open(&session.Deps{
		Disk: disk, Home: home, WorkspaceID: "w", WorkspaceURI: "file:///w", Facts: func() control.Facts { return control.Facts{} },
		Config: config, Tools: func(string) []tool.Tool { return nil }, Artifacts: noArtifacts{}, Notifier: nobodyListens{}, Locks: session.NewLocks(),
	})
}

// begin makes a session.
func begin(t testing.TB, st *Store) *session.Session {
	t.Helper()
	s, _, err := st.New(session.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type nobodyListens struct{}

func (nobodyListens) Event(history.Origin, history.Event)         {}
func (nobodyListens) Ephemeral(history.Origin, history.Ephemeral) {}

type noArtifacts struct{}

func (noArtifacts) Create(_, _, _, _ string) (tool.Spill, error) { return nil, errors.New("no store") }
func (noArtifacts) RemoveSession(string) error                   { return nil }
func (noArtifacts) ArtifactDirs(string) []string                 { return nil }
