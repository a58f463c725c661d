package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// house is what a session needs around it: a model that answers from a list, and
// ears that remember.
type house struct {
	deps  *Deps
	dir   string // where its sessions lie
	disk  *durable.Disk
	ears  *ears
	model *answers
}

func newHouse(t testing.TB, replies ...model.Done) *house {
	t.Helper()
	h := &house{disk: &durable.Disk{}, ears: &ears{}, model: &answers{list: replies}}
	home := t.TempDir()
	config, err := config.Open(filepath.Join(home, "config"), config.Options{Disk: h.disk})
	if err != nil {
		t.Fatal(err)
	}
	h.dir = filepath.Join(home, "sessions")
	h.deps = &Deps{
		Disk: h.disk, Home: home, WorkspaceID: "w", WorkspaceURI: "file:///w", Facts: func() control.Facts { return control.Facts{} },
		Config: config, Model: func(string, []string) (model.Model, error) { return h.model, nil }, DefaultModel: func() string { return "m" },
		Tools: func(string, string) []tool.Tool { return nil }, Artifacts: noArtifacts{},
		Approver: nobodyAnswers{}, Notifier: h.ears, Log: zerolog.Nop(), Locks: NewLocks(),
	}
	return h
}

// session is the next new one.
func (h *house) session(t testing.TB) *Session {
	t.Helper()
	n := 1
	for history.Exists(h.folder(n)) {
		n++
	}
	begin := NewSession{}
	if err := errors.Join(begin.Check(h.deps), os.MkdirAll(h.folder(n), 0o700)); err != nil {
		t.Fatal(err)
	}
	s, err := Create(h.deps, fmt.Sprintf("%04d", n), h.folder(n), begin)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (h *house) folder(n int) string { return filepath.Join(h.dir, fmt.Sprintf("%04d", n)) }

// open is the session of an earlier process.
func (h *house) open(id string) (*Session, error) { return Open(h.deps, id, filepath.Join(h.dir, id)) }

// answers is a model.
type answers struct {
	mu    sync.Mutex
	list  []model.Done
	wait  chan struct{} // nil: answers at once
	name  string        // "" = m
	info  model.Info
	asked model.Request // last
}

func (m *answers) Info() model.Info {
	info := m.info
	info.Name = cmp.Or(m.name, "m")
	return info
}

func (m *answers) Stream(ctx context.Context, asked model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if m.wait != nil {
			select {
			case <-m.wait:
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			}
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.asked = asked
		if len(m.list) == 0 {
			yield(nil, errors.New("no answer is left"))
			return
		}
		d := m.list[0]
		m.list = m.list[1:]
		yield(d, nil)
	}
}

// ears are a Notifier.
type ears struct {
	mu     sync.Mutex
	events []history.Event
	shown  []history.Ephemeral
}

func (e *ears) Event(_ history.Origin, v history.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, v)
}

func (e *ears) Ephemeral(_ history.Origin, v history.Ephemeral) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.shown = append(e.shown, v)
}

type nobodyAnswers struct{}

func (nobodyAnswers) CanAnswer() bool                                         { return false }
func (nobodyAnswers) CanEdit() bool                                           { return false }
func (nobodyAnswers) Approve(context.Context, history.Approval) <-chan Answer { return nil }

type noArtifacts struct{}

func (noArtifacts) Create(_, _, _, _ string) (tool.Spill, error) { return nil, errors.New("no store") }
func (noArtifacts) RemoveSession(string) error                   { return nil }
func (noArtifacts) ArtifactDirs(string) []string                 { return nil }

// logOf writes lines as the log of session 0001 and gives its store.
func writeLog(t *testing.T, h *house, lines ...string) string {
	t.Helper()
	dir := filepath.Join(h.dir, "0001")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, l := range lines {
		all = append(append(all, l...), '\n')
	}
	path := filepath.Join(dir, "events.jsonl")
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stateOf is what a session's journal says now.
func stateOf(s *Session) *history.Transcript {
	x := s.journal.Begin()
	defer x.End()
	return x.State
}

// show makes t what the journal of s says; nothing of it was shown to a model yet.
func show(s *Session, t *history.Transcript) {
	s.journal.Show(t)
	s.worker.view.latest = nil
}
