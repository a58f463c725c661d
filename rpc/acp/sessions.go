package acp

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/rpc/acp/convert"
	"github.com/agent-sidecar/agent-sidecar/rpc/acp/show"
	v1 "github.com/agent-sidecar/agent-sidecar/rpc/acp/v1"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// session is one that the client has opened.
type session struct {
	id    string // by which its server knows it
	shown string // by which the client knows it
	of    *workspace

	*show.Show

	mu      sync.Mutex // guards everything below
	chose   chosen
	told    chosen              // what the client knows of it
	running string              // the run at work
	runs    map[string]*run     // that have not ended
	holds   bool                // what happens waits until the log is shown
	later   []history.WireEvent // what has waited
}

// Image implements show.Source.
func (s *session) Image(uri string) (data string, is bool) {
	var got struct{ Data string }
	err := s.of.in.Ask(s.of.front.leaving, "agent/artifact", map[string]any{"sessionId": s.id, "uri": uri, "view": "range", "encoding": "base64"}, &got)
	return got.Data, err == nil && got.Data != ""
}

// Document implements show.Source.
func (s *session) Document(uri string) (text string, is bool) {
	return s.of.document(s.of.front.leaving, uri)
}

// about is a Session of the server, as much of it as is used.
type about struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Agent     string `json:"agent"`
	Mode      string `json:"mode"`
	Model     string `json:"model"`
	UpdatedAt string `json:"updatedAt"`
	Params    struct {
		Effort string `json:"reasoningEffort"`
	} `json:"params"`
}

// opened makes a session known to the client.
func (w *workspace) opened(a about) *session {
	s := &session{id: a.ID, shown: a.ID, of: w, runs: map[string]*run{}}
	s.chose.take(a)
	s.told = s.chose
	f := w.front
	s.Show = show.New(a.ID, w.roots[0], a.Title, f.shows(), s, func(u v1.SessionUpdate) { f.update(s.shown, u) }, f.Background)
	f.mu.Lock()
	defer f.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if known := w.sessions[a.ID]; known != nil {
		return known
	}
	if f.sessions[a.ID] != nil { // another workspace has one of that id, from a time when ids were its own
		s.shown = w.about.Workspace + "." + a.ID
	}
	f.sessions[s.shown], w.sessions[s.id] = s, s
	return s
}

// split takes an id apart that names its workspace, as one does that another workspace has too.
func split(id string) (workspace, bare string) {
	if i := strings.LastIndexByte(id, '.'); i >= 0 && strings.Trim(id[:i], "0123456789.") != "" {
		return id[:i], id[i+1:]
	}
	return "", id
}

// locate is the workspace of a session that may not be open, and the id by which its server knows it.
func (f *front) locate(ctx context.Context, id string) (w *workspace, bare string, err error) {
	f.mu.Lock()
	s := f.sessions[id]
	f.mu.Unlock()
	if s != nil {
		return s.of, s.id, nil
	}
	workspace, bare := split(id)
	for _, one := range f.open() {
		if workspace != "" && one.about.Workspace != workspace {
			continue
		}
		if err := one.in.Ask(ctx, "agent/events", map[string]any{"sessionId": bare, "limit": 1}, nil); err != nil {
			if isKind(err, "session_not_found") {
				continue
			}
			return nil, "", err
		}
		if w != nil {
			return nil, "", wire.InvalidParams("sessionId", "is in several workspaces; name the workspace before it, as session/list does")
		}
		w = one
	}
	return w, bare, nil
}

// shownID is the id by which the client knows a session of a workspace: with the workspace before it where
// another one has a session of that id, from a time when each counted its own.
func (f *front) shownID(w *workspace, id string, others map[string]*workspace) string {
	if other := others[id]; other != nil && other != w {
		return w.about.Workspace + "." + id
	}
	return id
}

// find is an open session.
func (f *front) find(id string) (*session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.sessions[id]; s != nil {
		return s, nil
	}
	return nil, &wire.Error{Code: wire.CodeInvalidParams, Kind: "session_not_found", Message: "no session " + wire.CutText(id, 100) + " is open"}
}

// sessionNew makes a session in its folders.
func (f *front) sessionNew(ctx context.Context, c *wire.Call, p v1.NewSessionRequest) (v1.NewSessionResponse, error) {
	w, err := f.place(ctx, p.Cwd, p.AdditionalDirectories, p.MCPServers)
	if err != nil {
		return v1.NewSessionResponse{}, err
	}
	all, err := w.describe(ctx)
	if err != nil {
		return v1.NewSessionResponse{}, err
	}
	if len(all.Models) == 0 {
		return v1.NewSessionResponse{}, f.authRequired()
	}
	var made struct{ Session about }
	if err := w.in.AskInTurn(ctx, "agent/session/new", map[string]any{}, &made, c.Reserve); err != nil {
		return v1.NewSessionResponse{}, err // what the session shows comes behind the answer that names it
	}
	s := w.opened(made.Session)
	out := v1.NewSessionResponse{SessionID: s.shown, Modes: s.modes(), ConfigOptions: s.options(all)}
	s.begin(c)
	return out, nil
}

// authRequired says that there is no model to ask.
func (f *front) authRequired() *wire.Error {
	return &wire.Error{Code: codeAuthRequired, Kind: "model_not_set", Message: f.say(locale.NoModelYet)}
}

// codeAuthRequired is the protocol's code for a client that must authenticate first.
const codeAuthRequired = -32000

// place is the workspace of a request.
func (f *front) place(ctx context.Context, cwd string, more []string, servers []v1.MCPServer) (*workspace, error) {
	roots, wrong := resolved(cwd, more)
	if wrong != "" {
		return nil, wire.InvalidParams(wrong, "is no absolute path of a directory that is there")
	}
	inline, err := convert.Servers(servers)
	if err != nil {
		return nil, err
	}
	return f.workspaceOf(ctx, roots, inline)
}

// sessionLoad opens a session and shows all that was said in it, in order, before the answer.
func (f *front) sessionLoad(ctx context.Context, c *wire.Call, p v1.LoadSessionRequest) (v1.LoadSessionResponse, error) {
	s, _, err := f.reopen(ctx, p.SessionID, p.Cwd, p.AdditionalDirectories, p.MCPServers)
	if err != nil {
		return v1.LoadSessionResponse{}, err
	}
	all, err := s.of.describe(ctx)
	if err == nil {
		err = s.replay(ctx)
	}
	if err != nil {
		return v1.LoadSessionResponse{}, err
	}
	out := v1.LoadSessionResponse{Modes: s.modes(), ConfigOptions: s.options(all)}
	s.begin(c)
	return out, nil
}

// sessionResume opens a session without showing what was said in it.
func (f *front) sessionResume(ctx context.Context, c *wire.Call, p v1.ResumeSessionRequest) (v1.ResumeSessionResponse, error) {
	s, state, err := f.reopen(ctx, p.SessionID, p.Cwd, p.AdditionalDirectories, p.MCPServers)
	if err != nil {
		return v1.ResumeSessionResponse{}, err
	}
	all, err := s.of.describe(ctx)
	if err != nil {
		return v1.ResumeSessionResponse{}, err
	}
	meta, err := json.Marshal(map[string]any{"agentSidecar": state})
	out := v1.ResumeSessionResponse{Modes: s.modes(), ConfigOptions: s.options(all), Meta: meta}
	s.begin(c)
	return out, err
}

// resumed is what the server says of a session that it has opened.
type resumed struct {
	Session          about           `json:"session"`
	Interrupted      json.RawMessage `json:"interrupted"`
	PendingApprovals json.RawMessage `json:"pendingApprovals"`
	Queue            json.RawMessage `json:"queue"`
}

// reopen opens a session of these folders. The state is what its last process left.
func (f *front) reopen(ctx context.Context, id, cwd string, more []string, servers []v1.MCPServer) (s *session, state map[string]json.RawMessage, err error) {
	w, err := f.place(ctx, cwd, more, servers)
	if err != nil {
		return nil, nil, err
	}
	f.mu.Lock()
	known := f.sessions[id]
	f.mu.Unlock()
	if known != nil {
		if known.of != w {
			return nil, nil, wire.InvalidParams("cwd", "is not that of this session")
		}
		id = known.id
	} else {
		_, id = split(id)
	}
	var got resumed
	if err := w.in.Ask(ctx, "agent/session/resume", map[string]any{"sessionId": id}, &got); err != nil {
		return nil, nil, err
	}
	state = map[string]json.RawMessage{}
	for name, value := range map[string]json.RawMessage{"interrupted": got.Interrupted, "pendingApprovals": got.PendingApprovals, "queue": got.Queue} {
		if value != nil {
			state[name] = value
		}
	}
	return w.opened(got.Session), state, nil
}

// sessionFork makes a session that begins with what another one was.
func (f *front) sessionFork(ctx context.Context, c *wire.Call, p v1.ForkSessionRequest) (v1.ForkSessionResponse, error) {
	w, err := f.place(ctx, p.Cwd, p.AdditionalDirectories, p.MCPServers)
	if err != nil {
		return v1.ForkSessionResponse{}, err
	}
	params := map[string]any{"sessionId": f.idIn(w, p.SessionID)}
	var own struct {
		AgentSidecar struct{ AtSeq *int64 } `json:"agentSidecar"`
	}
	if json.Unmarshal(p.Meta, &own) == nil && own.AgentSidecar.AtSeq != nil {
		params["atSeq"] = *own.AgentSidecar.AtSeq
	}
	all, err := w.describe(ctx)
	if err != nil {
		return v1.ForkSessionResponse{}, err
	}
	var made struct{ Session about }
	if err := w.in.AskInTurn(ctx, "agent/session/fork", params, &made, c.Reserve); err != nil {
		return v1.ForkSessionResponse{}, err
	}
	s := w.opened(made.Session)
	out := v1.ForkSessionResponse{SessionID: s.shown, Modes: s.modes(), ConfigOptions: s.options(all)}
	s.begin(c)
	return out, nil
}

// idIn is the id by which the server of a workspace knows a session that the client names.
func (f *front) idIn(w *workspace, shown string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.sessions[shown]; s != nil && s.of == w {
		return s.id
	}
	_, bare := split(shown)
	return bare
}

// sessionList lists the sessions of a directory, or of all that are open here.
func (f *front) sessionList(ctx context.Context, _ *wire.Call, p v1.ListSessionsRequest) (v1.ListSessionsResponse, error) {
	out := v1.ListSessionsResponse{Sessions: []v1.SessionInfo{}}
	var all []*workspace
	if p.Cwd != "" {
		w, err := f.place(ctx, p.Cwd, nil, nil)
		if err != nil {
			return out, err
		}
		all = append(all, w)
	} else if all = f.open(); len(all) == 0 {
		here, err := os.Getwd() // of a client that has started the agent in its folder
		if err != nil {
			return out, err
		}
		w, err := f.place(ctx, here, nil, nil)
		if err != nil {
			return out, err
		}
		all = append(all, w)
	}
	first := map[string]*workspace{}
	for _, w := range all {
		params := map[string]any{}
		if p.Cursor != "" {
			params["cursor"] = p.Cursor
		}
		var page struct {
			Sessions   []about
			NextCursor string
		}
		if err := w.in.Ask(ctx, "agent/session/list", params, &page); err != nil {
			return out, err
		}
		for _, a := range page.Sessions {
			if first[a.ID] == nil {
				first[a.ID] = w
			}
			out.Sessions = append(out.Sessions, v1.SessionInfo{
				SessionID: f.shownID(w, a.ID, first), Cwd: w.roots[0], AdditionalDirectories: w.roots[1:], Title: a.Title, UpdatedAt: a.UpdatedAt,
			})
		}
		if len(all) == 1 { // a cursor is of one workspace
			out.NextCursor = page.NextCursor
		}
	}
	return out, nil
}

// sessionClose stops what runs in a session and lets the client forget it. Its log stays.
func (f *front) sessionClose(ctx context.Context, _ *wire.Call, p v1.CloseSessionRequest) (v1.CloseSessionResponse, error) {
	s, err := f.find(p.SessionID)
	if err != nil {
		return v1.CloseSessionResponse{}, err
	}
	err = s.of.in.Ask(ctx, "agent/cancel", map[string]any{"sessionId": s.id, "queue": "clear"}, nil)
	if err == nil {
		s.idle(ctx)
	}
	f.forget(s)
	return v1.CloseSessionResponse{}, err
}

func (f *front) forget(s *session) {
	f.mu.Lock()
	delete(f.sessions, s.shown)
	f.mu.Unlock()
	s.of.mu.Lock()
	delete(s.of.sessions, s.id)
	s.of.mu.Unlock()
}

// sessionDelete removes a session. One that is not there is gone already.
func (f *front) sessionDelete(ctx context.Context, _ *wire.Call, p v1.DeleteSessionRequest) (v1.DeleteSessionResponse, error) {
	w, id, err := f.locate(ctx, p.SessionID)
	if err != nil || w == nil {
		return v1.DeleteSessionResponse{}, err
	}
	s := w.session(id)
	err = w.in.Ask(ctx, "agent/session/delete", map[string]any{"sessionId": id}, nil)
	if isKind(err, "session_not_found") {
		err = nil
	}
	if err == nil && s != nil {
		f.forget(s)
	}
	return v1.DeleteSessionResponse{}, err
}

// setTitle names a session.
func (f *front) setTitle(ctx context.Context, c *wire.Call, p v1.SetSessionTitleRequest) (v1.SetSessionTitleResponse, error) {
	s, err := f.find(p.SessionID)
	if err != nil {
		return v1.SetSessionTitleResponse{}, err
	}
	var got struct{ Session about }
	err = s.of.in.AskInTurn(ctx, "agent/session/update", map[string]any{"sessionId": s.id, "title": p.Title}, &got, c.Reserve)
	return v1.SetSessionTitleResponse{Title: got.Session.Title}, err
}
