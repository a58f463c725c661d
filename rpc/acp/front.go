package acp

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"

	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// Options is what the front end is made of.
type Options struct {
	Name    string
	Version string
	Locale  string // of what a person reads
	// Serve speaks the sidecar's own protocol to one client until it leaves.
	Serve func(ctx context.Context, in io.Reader, out io.Writer) int
	// Methods are the requests of that protocol; a client of this one reaches each of them as _agentSidecar/…
	Methods    []string
	SchemaHash string
	// Report is told of failures that nobody else hears of.
	Report func(what string, err error)
	// Panicked is told of a handler's panic.
	Panicked func(method string, value any, stack []byte)
}

// protocolVersion is the one that is spoken.
const protocolVersion = 1

// front is one client and the workspaces that it works in.
type front struct {
	*wire.Conn
	opt     Options
	can     v1.ClientCapabilities // set by initialize; the lifecycle lets nothing in before
	leaving context.Context       // ends when the client has left
	leave   context.CancelFunc
	work    sync.WaitGroup // what runs in the background

	opening sync.Mutex // held while a workspace is opened; taken before mu
	mu      sync.Mutex // guards everything below
	// workspaces by their folders, sessions by the id that the client knows.
	workspaces map[string]*workspace
	sessions   map[string]*session
}

// Serve speaks the Agent Client Protocol until the client leaves, and returns the process's
// exit code. out is written by nobody else.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) int {
	f := &front{opt: opt, workspaces: map[string]*workspace{}, sessions: map[string]*session{}}
	f.leaving, f.leave = context.WithCancel(context.Background())
	f.Conn = wire.Connect(f, f.rows(), wire.Config{
		In: in, Out: out, Lines: true,
		Report:   opt.Report,
		Ended:    f.closeAll,
		Panicked: opt.Panicked,
	})
	code := f.Conn.Serve(ctx)
	f.leave()
	f.work.Wait()
	return code
}

// Background runs what Serve waits for: servers, their readers, and what must wait for an answer beside them.
func (f *front) Background(run func()) { f.work.Go(run) }

// closeAll lets every server leave, which stops what runs and writes it down.
func (f *front) closeAll() {
	open := f.open()
	for _, w := range open {
		w.in.Leave()
	}
	for _, w := range open {
		<-w.gone
	}
}

// extension is before the names of the sidecar's own requests.
const extension = "_agentSidecar/"

// rows is the method table.
func (f *front) rows() []wire.Row[*front] {
	rows := []wire.Row[*front]{
		{Name: "initialize", Concurrency: wire.Ordered, Method: wire.Handle((*front).initialize)},
		{Name: "authenticate", Concurrency: wire.Read, Method: wire.Handle((*front).authenticate)},
		{Name: "session/new", Concurrency: wire.PerSession, Method: wire.Handle((*front).sessionNew)},
		{Name: "session/load", Concurrency: wire.PerSession, Method: wire.Handle((*front).sessionLoad)},
		{Name: "session/resume", Concurrency: wire.PerSession, Method: wire.Handle((*front).sessionResume)},
		{Name: "session/fork", Concurrency: wire.PerSession, Method: wire.Handle((*front).sessionFork)},
		{Name: "session/list", Concurrency: wire.Read, Method: wire.Handle((*front).sessionList)},
		{Name: "session/close", Concurrency: wire.PerSession, Method: wire.Handle((*front).sessionClose)},
		{Name: "session/delete", Concurrency: wire.PerSession, Method: wire.Handle((*front).sessionDelete)},
		{Name: "session/set_mode", Concurrency: wire.PerSession, Method: wire.Handle((*front).setMode)},
		{Name: "session/set_config_option", Concurrency: wire.PerSession, Method: wire.Handle((*front).setOption)},
		{Name: "session/set_title", Concurrency: wire.PerSession, Method: wire.Handle((*front).setTitle)},
		{Name: "session/prompt", Concurrency: wire.PerSession, Method: wire.Handle((*front).prompt)},
		{Name: "session/cancel", Method: wire.Notice((*front).cancel)},
	}
	for _, method := range f.opt.Methods {
		rows = append(rows, wire.Row[*front]{Name: extension + method[len("agent/"):], Concurrency: wire.Read, Method: wire.Handle(handedOn(method))})
	}
	return rows
}

// handedOn answers a request of the sidecar's own protocol by the server of the workspace that it is
// about: of its session, else of its cwd, else the only one.
func handedOn(method string) func(*front, context.Context, *wire.Call, ownParams) (json.RawMessage, error) {
	return func(f *front, ctx context.Context, _ *wire.Call, p ownParams) (json.RawMessage, error) {
		w, raw, err := f.addressed(p.raw)
		if err != nil {
			return nil, err
		}
		var out json.RawMessage
		err = w.in.Ask(ctx, method, raw, &out)
		return out, err
	}
}

// ownParams are params as they came.
type ownParams struct{ raw json.RawMessage }

// UnmarshalJSON keeps them.
func (p *ownParams) UnmarshalJSON(raw []byte) error {
	p.raw = append(json.RawMessage(nil), raw...)
	return nil
}

// addressed is the workspace that params of an own request are about, and those params with the
// id that the server knows the session by.
func (f *front) addressed(raw json.RawMessage) (*workspace, json.RawMessage, error) {
	var members map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, nil, wire.ParamsError(err)
		}
	}
	var id, cwd string
	_ = json.Unmarshal(members["sessionId"], &id) // one of another type is the server's to refuse
	_ = json.Unmarshal(members["cwd"], &cwd)
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.sessions[id]; s != nil {
		members["sessionId"], _ = json.Marshal(s.id)
		out, err := json.Marshal(members)
		return s.of, out, err
	}
	var found *workspace
	for _, w := range f.workspaces {
		if cwd != "" && w.roots[0] != cwd {
			continue
		}
		if found != nil {
			return nil, nil, wire.InvalidParams("cwd", "says which of several workspaces is meant")
		}
		found = w
	}
	if found == nil {
		return nil, nil, wire.InvalidParams("sessionId", "no session is open there")
	}
	delete(members, "cwd")
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	out, err := json.Marshal(members)
	return found, out, err
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// update sends a session/update. It waits for a client that does not read, so that what it has not
// read stays in the queue of the server, which makes less of it.
func (f *front) update(sessionID string, u v1.SessionUpdate) {
	f.AwaitRoom(mostQueued)
	if err := f.Notify("session/update", v1.SessionNotification{SessionID: sessionID, Update: u}); err != nil {
		f.opt.Report("session/update", err)
	}
}

// mostQueued is how much of what the client has not read is queued here, in bytes.
const mostQueued = 1 << 20

// say is a sentence in the person's language.
func (f *front) say(m locale.Message, args ...any) string { return m.In(f.opt.Locale, args...) }
