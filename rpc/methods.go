package rpc

import (
	"context"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
)

// rows is the method table: what a client may ask, what it must send along, and
// when its turn comes. PROTOCOL.md and the schema are held against it. It is a
// function because handlers name it: initialize says which methods there are.
func rows() []wire.Row[*Server] {
	return []wire.Row[*Server]{
		{Name: "initialize", Concurrency: wire.Ordered, Method: wire.Handle((*Server).initialize)},
		{Name: "initialized", Method: wire.Notice((*Server).initialized)},
		{Name: "shutdown", Concurrency: wire.Ordered, Method: wire.Handle((*Server).shutdown)},

		{Name: "textDocument/didOpen", Method: wire.Notice(told((*documents).didOpen))},
		{Name: "textDocument/didChange", Method: wire.Notice(told((*documents).didChange))},
		{Name: "textDocument/didSave", Method: wire.Notice(told((*documents).didSave))},
		{Name: "textDocument/didClose", Method: wire.Notice(told((*documents).didClose))},
		{Name: "workspace/didChangeConfiguration", Method: wire.Notice(told((*documents).didChangeConfiguration))},
		{Name: "workspace/didChangeWatchedFiles", Method: wire.Notice(told((*documents).didChangeWatchedFiles))},
		{Name: "workspace/didChangeWorkspaceFolders", Method: wire.Notice(told((*documents).didChangeWorkspaceFolders))},
		{Name: "agent/diagnostics", Method: wire.Notice(told((*documents).problems))},
		{Name: "window/workDoneProgress/cancel", Method: wire.Notice((*Server).progressCancel)},

		{Name: "textDocument/codeAction", Concurrency: wire.Read, Method: wire.Handle((*Server).codeAction)},
		{Name: "textDocument/codeLens", Concurrency: wire.Read, Method: wire.Handle((*Server).codeLens)},
		{Name: "codeAction/resolve", Concurrency: wire.Read, Method: wire.Handle((*Server).resolveCodeAction)},
		{Name: "workspace/executeCommand", Concurrency: wire.PerSession, Method: wire.Handle((*Server).executeCommand), Key: commandSession},
		{Name: "workspace/textDocumentContent", Concurrency: wire.Read, Method: wire.Handle((*Server).textDocumentContent)},

		{Name: "agent/run", Concurrency: wire.PerSession, Method: wire.Handle((*Server).run)},
		{Name: "agent/cancel", Concurrency: wire.Ordered, Method: wire.Handle((*Server).cancel)},
		{Name: "agent/approve", Concurrency: wire.Global, Method: wire.Handle((*Server).approve), Key: approvalKey},
		{Name: "agent/approvals", Concurrency: wire.Read, Method: wire.Handle((*Server).approvals)},
		{Name: "agent/artifact", Concurrency: wire.Read, Method: wire.Handle(by(artifactsOf, (*artifacts).artifact))},
		{Name: "agent/artifact/list", Concurrency: wire.Read, Method: wire.Handle(by(artifactsOf, (*artifacts).artifactList))},
		{Name: "agent/events", Concurrency: wire.Read, Method: wire.Handle(by(sessionsOf, (*sessions).events))},
		{Name: "agent/session/new", Concurrency: wire.PerSession, Method: wire.Handle(by(sessionsOf, (*sessions).sessionNew))},
		{Name: "agent/session/list", Concurrency: wire.Read, Method: wire.Handle(by(sessionsOf, (*sessions).sessionList))},
		{Name: "agent/session/resume", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionResume)},
		{Name: "agent/session/fork", Concurrency: wire.PerSession, Method: wire.Handle(by(sessionsOf, (*sessions).sessionFork))},
		{Name: "agent/session/update", Concurrency: wire.PerSession, Method: wire.Handle(by(sessionsOf, (*sessions).sessionUpdate))},
		{Name: "agent/session/compact", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionCompact)},
		{Name: "agent/session/changes", Concurrency: wire.Read, Method: wire.Handle(by(sessionsOf, (*sessions).sessionChanges))},
		{Name: "agent/session/undo", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionUndo)},
		{Name: "agent/session/export", Concurrency: wire.Read, Method: wire.Handle((*Server).sessionExport)},
		{Name: "agent/session/delete", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionDelete)},
		{Name: "agent/queue", Concurrency: wire.PerSession, Method: wire.Handle(by(sessionsOf, (*sessions).queue))},
		{Name: "agent/rules", Concurrency: wire.PerSession, Method: wire.Handle((*Server).rules), Key: rulesKey},
		{Name: "agent/explain", Concurrency: wire.Read, Method: wire.Handle(by(sessionsOf, (*sessions).explain))},
		{Name: "agent/config", Concurrency: wire.PerSession, Method: wire.Handle((*Server).config), Key: configKey},
		{Name: "agent/models", Concurrency: wire.Read, Method: wire.Handle((*Server).models)},
		{Name: "agent/status", Concurrency: wire.Read, Method: wire.Handle((*Server).status)},
		{Name: "agent/describe", Concurrency: wire.Read, Method: wire.Handle((*Server).describe)},
	}
}

func sessionsOf(s *Server) *sessions   { return s.sessions }
func artifactsOf(s *Server) *artifacts { return s.artifacts }

// by makes a handler of the server of one of its parts, which initialize makes.
func by[H, P, R any](part func(*Server) H, f func(H, context.Context, *wire.Call, P) (R, error)) func(*Server, context.Context, *wire.Call, P) (R, error) {
	return func(s *Server, ctx context.Context, c *wire.Call, p P) (R, error) { return f(part(s), ctx, c, p) }
}

// told makes a handler of the server of what is told about documents.
func told[P any](f func(*documents, context.Context, P) error) func(*Server, context.Context, P) error {
	return func(s *Server, ctx context.Context, p P) error { return f(s.documents, ctx, p) }
}

// Methods are the requests of ours that work.
func Methods() []string {
	var names []string
	for _, r := range rows() {
		if strings.HasPrefix(r.Name, "agent/") && r.Method.Result != nil {
			names = append(names, r.Name)
		}
	}
	return names
}
