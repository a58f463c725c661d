package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/compaction"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/questions"
	"github.com/agent-sidecar/agent-sidecar/session/system"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// house is what a session needs around it: a model that answers from a list, and
// ears that remember.
type house struct {
	deps *Deps
	around
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
	h.around.openModel = func(string, []string) (model.Model, error) { return h.model, nil }
	h.deps = &Deps{
		Disk: h.disk, Home: home, WorkspaceID: "w", WorkspaceURI: "file:///w", Config: config,
		Here:   &Place{Surroundings: &h.around, Files: &h.around, Tools: &h.around, Artifacts: None{}, Jobs: None{}},
		Models: &h.around, Audits: &h.around,
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

func (nobodyAnswers) CanAnswer() bool   { return false }
func (nobodyAnswers) CanQuestion() bool { return false }
func (nobodyAnswers) Question(context.Context, history.QuestionAsked) <-chan questions.Reply {
	return nil
}
func (nobodyAnswers) CanEdit() bool                                           { return false }
func (nobodyAnswers) Approve(context.Context, history.Approval) <-chan Answer { return nil }

// around is what a test says of what is around its sessions. What it leaves out is None's.
type around struct {
	None
	facts        func() control.Facts
	environment  func() system.Environment
	instructions func(documents []string) []system.Layer
	readOnly     bool
	unfollowed   func(ctx context.Context, since time.Time) (int, []string, bool)
	folder       func(name string) (string, error)
	undo         func(ctx context.Context, changes []tool.Change, merge, dryRun bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error)
	moreChanges  func(checkpoint string) ([]tool.Change, error)
	tools        func(ToolOwner, string) []tool.Tool
	openModel    func(name string, fallback []string) (model.Model, error)
	ratio        float64
	exact        func(model, text string) int64
	audit        *audit.Log
}

// or is what a test says, else none.
func or[T any](says, none T) T {
	if reflect.ValueOf(says).IsZero() {
		return none
	}
	return says
}

func (g *around) Facts() control.Facts            { return or(g.facts, g.None.Facts)() }
func (g *around) Environment() system.Environment { return or(g.environment, g.None.Environment)() }
func (g *around) Instructions(documents []string) []system.Layer {
	return or(g.instructions, g.None.Instructions)(documents)
}
func (g *around) ReadOnly() bool { return g.readOnly }
func (g *around) Unfollowed(ctx context.Context, since time.Time) (int, []string, bool) {
	return or(g.unfollowed, g.None.Unfollowed)(ctx, since)
}
func (g *around) Folder(name string) (string, error) { return or(g.folder, g.None.Folder)(name) }
func (g *around) Undo(ctx context.Context, changes []tool.Change, merge, dryRun bool, record func(tool.Change) error) ([]tool.Change, []tool.Conflict, error) {
	return or(g.undo, g.None.Undo)(ctx, changes, merge, dryRun, record)
}
func (g *around) MoreChanges(checkpoint string) ([]tool.Change, error) {
	return or(g.moreChanges, g.None.MoreChanges)(checkpoint)
}
func (g *around) Tools(of ToolOwner, folder string) []tool.Tool {
	return or(g.tools, g.None.Tools)(of, folder)
}
func (g *around) OpenModel(name string, fallback []string) (model.Model, error) {
	return g.openModel(name, fallback)
}
func (g *around) DefaultModel() string           { return "m" }
func (g *around) Cheapest(string) string         { return "" }
func (g *around) Ratio(string) float64           { return or(g.ratio, 1) }
func (g *around) Exact(model, text string) int64 { return or(g.exact, g.None.Exact)(model, text) }
func (g *around) Audit(string) *audit.Log        { return g.audit }

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
	s.worker.view.micro = compaction.Micro{}
}
