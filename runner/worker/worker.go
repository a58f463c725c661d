// Package worker is the far side of a runner: it works with a Vault for a sidecar that is
// elsewhere. It decides nothing and asks nothing; what it does was judged there, and it
// does it only if it is still what was judged. When its input ends, so does all that it runs.
package worker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/runner/seam"
	"github.com/agent-sidecar/agent-sidecar/workspace"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// Options are what a worker needs of its program.
type Options struct {
	Version string
	Schema  string
	// Open opens the workspace that a sidecar works in. It is called once. settings are
	// those of now.
	Open func(g seam.Greeting, settings func() seam.Settings) (*workspace.Vault, seam.Machine, error)
	// Confined is how commands are confined under settings.
	Confined func(sandbox.Settings) sandbox.Report
	// Home is where the worker may keep what lasts longer than it does; absolute.
	Home string
	Disk *durable.Disk
	// Failed is told of what costs only time.
	Failed func(what string, err error)
}

// worker answers one sidecar.
type worker struct {
	Options
	ctx   context.Context // ends with the connection
	peer  *seam.Peer
	table map[string]method

	mu       sync.Mutex // guards what follows
	greeted  bool
	vault    *workspace.Vault // nil until it is open
	sessions map[string]*owner
	plans    plans
	runs     map[string]context.CancelFunc // by their keys
	spills   spills
	settings seam.Settings // as they were said last
}

// method answers one kind of question.
type method func(ctx context.Context, params json.RawMessage) (any, error)

// Serve works for the sidecar behind a pair of pipes until that leaves, and returns when
// nothing runs any more.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &worker{Options: o, ctx: ctx, sessions: map[string]*owner{}, runs: map[string]context.CancelFunc{}, spills: spills{}}
	w.table = w.methods()
	begun := make(chan struct{})
	w.peer = seam.Connect(ctx, in, out, seam.Silence, handler{w, begun})
	close(begun)
	select {
	case <-w.peer.Gone():
	case <-ctx.Done():
	}
	cancel()
	w.peer.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spills.closeAll()
	if w.vault == nil {
		return nil
	}
	return w.vault.Close()
}

// handler lets the connection reach the worker, once it is whole.
type handler struct {
	w     *worker
	begun <-chan struct{}
}

// Request implements seam.Handler.
func (h handler) Request(_ context.Context, method string, params json.RawMessage) (any, error) {
	<-h.begun
	m, ok := h.w.table[method]
	if !ok {
		return nil, fmt.Errorf("there is no method %q", method)
	}
	if err := h.w.ctx.Err(); err != nil {
		return nil, err
	}
	if method != seam.Hello {
		if h.w.open() == nil {
			return nil, fmt.Errorf("%s comes first", seam.Hello)
		}
	}
	return m(h.w.ctx, params)
}

// Notification implements seam.Handler.
func (h handler) Notification(method string, params json.RawMessage) {
	<-h.begun
	switch method {
	case seam.Cancel:
		var key string
		if json.Unmarshal(params, &key) == nil {
			h.w.cancel(key)
		}
	case seam.Session:
		var p seam.Owner
		if json.Unmarshal(params, &p) == nil {
			h.w.told(p)
		}
	case seam.Forget:
		var id int64
		if json.Unmarshal(params, &id) == nil {
			h.w.mu.Lock()
			defer h.w.mu.Unlock()
			h.w.plans.take(id)
		}
	}
}

// open is the workspace, nil as long as nobody has said hello.
func (w *worker) open() *workspace.Vault {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.vault
}

// hello begins. The folder is opened only for a sidecar of the same version.
func (w *worker) hello(_ context.Context, g seam.Greeting) (seam.Machine, error) {
	if g.Version != w.Version || g.Schema != w.Schema {
		return seam.Machine{}, fmt.Errorf("the worker is agent-sidecar %s and the sidecar is %s; install the same version on both machines", w.Version, g.Version)
	}
	w.mu.Lock()
	again := w.greeted
	w.greeted = true
	w.settings = g.Settings
	w.mu.Unlock()
	if again {
		return seam.Machine{}, fmt.Errorf("%s was said before", seam.Hello)
	}
	vault, machine, err := w.Open(g, w.current)
	if err != nil {
		return seam.Machine{}, err
	}
	w.mu.Lock()
	w.vault = vault
	w.mu.Unlock()
	for _, t := range vault.Tools(workspace.Owner{}) {
		machine.Tools = append(machine.Tools, t.Spec())
	}
	return machine, nil
}

// current are the settings as they were said last.
func (w *worker) current() seam.Settings {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.settings
}

// on is a method whose parameters are a P.
func on[P, R any](f func(ctx context.Context, params P) (R, error)) method {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var params P
		if err := json.Unmarshal(raw, &params); err != nil {
			return nil, fmt.Errorf("parameters: %w", err)
		}
		return f(ctx, params)
	}
}

// methods is the table of all that can be asked.
func (w *worker) methods() map[string]method {
	t := &twin{w, rand.Text()}
	return map[string]method{
		seam.Hello: on(w.hello),

		seam.Plan:    on(w.plan),
		seam.Preview: on(w.preview),
		seam.Run:     on(w.run),

		seam.Resolve: on(w.resolve),
		seam.Look:    on(w.look),
		seam.Object:  on(w.folder),

		seam.JobNews: on(w.jobNews),
		seam.JobStop: on(w.jobStop),
		seam.JobEnd:  on(w.jobEnd),

		seam.Create: on(w.create),
		seam.Write:  on(w.write),
		seam.Close:  on(w.close),
		seam.Find:   on(w.find),
		seam.List:   on(w.list),
		seam.Bytes:  on(w.bytes),
		seam.Remove: on(w.remove),
		seam.Copy:   on(w.copy),
		seam.Dirs:   on(w.dirs),

		seam.Compare: on(w.compare),
		seam.Text:    on(w.text),
		seam.More:    on(w.more),
		seam.Lost:    on(w.lost),
		seam.Since:   on(w.since),
		seam.Started: on(w.started),

		seam.Undo: on(w.undo),
		seam.Get:  on(w.get),

		seam.SyncTake:   on(t.take),
		seam.SyncBundle: on(t.bundle),
		seam.SyncRead:   on(t.readBundle),
		seam.SyncWrite:  on(t.writeBundle),
		seam.SyncLay:    on(t.lay),
		seam.SyncSettle: on(t.settle),
	}
}
