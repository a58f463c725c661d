package acp

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	"github.com/agent-sidecar/agent-sidecar/rpc/acp/inside"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// workspace is a set of folders and the server that works there. Sessions with the same
// folders share it.
type workspace struct {
	roots []string
	in    *inside.Client
	front *front
	about serverAbout
	gone  chan struct{} // closed when the server has left

	mu        sync.Mutex // guards everything below
	sessions  map[string]*session
	mcp       map[string]json.RawMessage    // the inline servers of its sessions, by name
	unasked   []*permission                 // of no session: they wait for a prompt
	prompted  *session                      // where a question of no session is shown
	prompts   int                           // that are being answered
	asked     map[string]*permission        // by the id of the server's request
	questions map[string]context.CancelFunc // by their id
}

// serverAbout is what the server says about itself.
type serverAbout struct {
	Version    int      `json:"version"`
	Workspace  string   `json:"workspaceId"`
	SchemaHash string   `json:"schemaHash"`
	Methods    []string `json:"methods"`
	Models     []string `json:"models"`
	Agents     []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Mode        string `json:"mode"`
	} `json:"agents"`
}

// workspaceOf is the workspace of these folders, opened if it is not yet. servers are inline MCP servers.
func (f *front) workspaceOf(ctx context.Context, roots []string, servers map[string]json.RawMessage) (*workspace, error) {
	f.opening.Lock() // one at a time: two requests for the same folders get the same
	defer f.opening.Unlock()
	key := strings.Join(roots, "\x00")
	f.mu.Lock()
	w := f.workspaces[key]
	f.mu.Unlock()
	if w != nil {
		w.addServers(servers)
		return w, nil
	}
	w, err := f.start(ctx, roots, servers)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.workspaces[key] = w
	f.mu.Unlock()
	return w, nil
}

// start starts a server for these folders and introduces itself as its editor.
func (f *front) start(ctx context.Context, roots []string, servers map[string]json.RawMessage) (*workspace, error) {
	toServer, fromUs := io.Pipe()
	fromServer, toUs := io.Pipe()
	w := &workspace{roots: roots, front: f, gone: make(chan struct{}), sessions: map[string]*session{}, mcp: map[string]json.RawMessage{}, asked: map[string]*permission{}, questions: map[string]context.CancelFunc{}}
	w.in = inside.New(fromServer, fromUs)
	w.in.Hear = w.hear
	f.Background(func() {
		defer close(w.gone)
		defer toUs.Close()
		f.opt.Serve(f.leaving, toServer, toUs)
	})
	f.Background(w.in.Read)
	for name, server := range servers {
		w.mcp[name] = server
	}
	folders := []map[string]string{}
	for _, root := range roots {
		folders = append(folders, map[string]string{"uri": fileuri.Of(root), "name": filepath.Base(root)})
	}
	options := map[string]any{}
	if len(w.mcp) > 0 {
		options["mcp"] = w.mcp
	}
	var said struct {
		Capabilities struct {
			Experimental struct {
				AgentSidecar serverAbout `json:"agentSidecar"`
			} `json:"experimental"`
		} `json:"capabilities"`
	}
	err := w.in.Ask(ctx, "initialize", map[string]any{
		"processId": nil, "locale": f.opt.Locale, "workspaceFolders": folders, "initializationOptions": options,
		"capabilities": map[string]any{"experimental": map[string]any{"agentSidecar": map[string]any{
			"versions": []int{1}, "events": map[string]any{}, "questions": map[string]any{},
			"approvals": map[string]any{"request": map[string]any{}},
		}}},
	}, &said)
	if err != nil {
		w.in.Leave()
		return nil, err
	}
	w.about = said.Capabilities.Experimental.AgentSidecar
	w.in.Notify("initialized", map[string]any{})
	return w, nil
}

// open are the workspaces that are open.
func (f *front) open() (all []*workspace) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range f.workspaces {
		all = append(all, w)
	}
	return all
}

// addServers takes over the inline MCP servers of another session of these folders.
func (w *workspace) addServers(servers map[string]json.RawMessage) {
	w.mu.Lock()
	changed := false
	for name, server := range servers {
		changed = changed || string(w.mcp[name]) != string(server)
		w.mcp[name] = server
	}
	raw, err := json.Marshal(map[string]any{"mcp": w.mcp})
	w.mu.Unlock()
	if changed && err == nil {
		w.in.Notify("workspace/didChangeConfiguration", map[string]any{"settings": json.RawMessage(raw)})
	}
}

// session is the one with this id, nil where it is not open here.
func (w *workspace) session(id string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[id]
}

// resolved are the folders of a request: absolute, there, each once, the first one first.
func resolved(cwd string, more []string) (roots []string, field string) {
	for i, path := range slices.Concat([]string{cwd}, more) {
		name := "cwd"
		if i > 0 {
			name = "additionalDirectories"
		}
		if !filepath.IsAbs(path) {
			return nil, name
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil || !isDir(real) {
			return nil, name
		}
		if !slices.Contains(roots, real) {
			roots = append(roots, real)
		}
	}
	return roots, ""
}

// hear takes what the server sends by itself, in its order. It is called by the reader and does
// not wait for the server.
func (w *workspace) hear(method string, id, params json.RawMessage) {
	switch method {
	case "agent/event":
		var e history.WireEvent
		if json.Unmarshal(params, &e) == nil {
			w.event(e)
		}
	case "agent/client/approve":
		var asked struct{ Approval convert.Approval }
		if json.Unmarshal(params, &asked) != nil {
			w.in.Respond(id, nil)
			return
		}
		w.permit(&permission{w: w, id: id, about: asked.Approval})
	case "$/cancelRequest":
		var p struct{ ID json.RawMessage }
		if json.Unmarshal(params, &p) == nil {
			w.withdraw(string(p.ID))
		}
	default:
		if id != nil { // it asks for nothing else of a client that declares nothing else
			w.in.Refuse(id, method)
		}
	}
}

// event is an event of a session, if the client has opened it.
func (w *workspace) event(e history.WireEvent) {
	if s := w.session(e.SessionID); s != nil && !s.held(e) {
		w.show(s, e)
	}
}

// show shows an event of a session, and does what it asks for.
func (w *workspace) show(s *session, e history.WireEvent) {
	s.Event(e)
	if len(e.AgentPath) > 0 {
		return
	}
	switch e.Type {
	case "run.queued", "run.started":
		s.runBegins(e)
	case "run.ended":
		s.runEnds(e)
	case "question.asked":
		s.questioned(e)
	case "question.answered":
		s.questionOver(e)
	case "session.changed":
		s.changed(e)
	}
}

// document is the text of a document that the server gives.
func (w *workspace) document(ctx context.Context, uri string) (string, bool) {
	var got struct{ Text string }
	err := w.in.Ask(ctx, "workspace/textDocumentContent", map[string]any{"uri": uri}, &got)
	return got.Text, err == nil
}
