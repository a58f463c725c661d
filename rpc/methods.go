package rpc

import (
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

		{Name: "textDocument/didOpen", Method: wire.Notice((*Server).didOpen)},
		{Name: "textDocument/didChange", Method: wire.Notice((*Server).didChange)},
		{Name: "textDocument/didSave", Method: wire.Notice((*Server).didSave)},
		{Name: "textDocument/didClose", Method: wire.Notice((*Server).didClose)},
		{Name: "workspace/didChangeConfiguration", Method: wire.Notice((*Server).didChangeConfiguration)},
		{Name: "workspace/didChangeWatchedFiles", Method: wire.Notice((*Server).didChangeWatchedFiles)},
		{Name: "workspace/didChangeWorkspaceFolders", Method: wire.Notice((*Server).didChangeWorkspaceFolders)},
		{Name: "agent/diagnostics", Method: wire.Notice((*Server).problems)},
		{Name: "window/workDoneProgress/cancel", Method: wire.Notice((*Server).progressCancel)},

		{Name: "textDocument/codeAction", Concurrency: wire.Read, Method: wire.Handle((*Server).codeAction)},
		{Name: "textDocument/codeLens", Concurrency: wire.Read, Method: wire.Handle((*Server).codeLens)},
		{Name: "textDocument/completion", Concurrency: wire.Read, Method: wire.Handle((*Server).completion)},
		{Name: "codeAction/resolve", Concurrency: wire.Read, Method: wire.Handle((*Server).resolveCodeAction)},
		{Name: "workspace/executeCommand", Concurrency: wire.PerSession, Method: wire.Handle((*Server).executeCommand), Key: commandSession},
		{Name: "workspace/textDocumentContent", Concurrency: wire.Read, Method: wire.Handle((*Server).textDocumentContent)},

		{Name: "agent/run", Concurrency: wire.PerSession, Method: wire.Handle((*Server).run)},
		{Name: "agent/cancel", Concurrency: wire.Ordered, Method: wire.Handle((*Server).cancel)},
		{Name: "agent/approve", Concurrency: wire.Global, Method: wire.Handle((*Server).approve), Key: approvalKey},
		{Name: "agent/answer", Concurrency: wire.Global, Method: wire.Handle((*Server).answer), Key: questionKey},
		{Name: "agent/approvals", Concurrency: wire.Read, Method: wire.Handle((*Server).approvals)},
		{Name: "agent/artifact", Concurrency: wire.Read, Method: wire.Handle((*Server).artifact)},
		{Name: "agent/artifact/list", Concurrency: wire.Read, Method: wire.Handle((*Server).artifactList)},
		{Name: "agent/events", Concurrency: wire.Read, Method: wire.Handle((*Server).events)},
		{Name: "agent/session/new", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionNew)},
		{Name: "agent/session/list", Concurrency: wire.Read, Method: wire.Handle((*Server).sessionList)},
		{Name: "agent/session/resume", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionResume)},
		{Name: "agent/session/fork", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionFork)},
		{Name: "agent/session/update", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionUpdate)},
		{Name: "agent/session/compact", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionCompact)},
		{Name: "agent/session/changes", Concurrency: wire.Read, Method: wire.Handle((*Server).sessionChanges)},
		{Name: "agent/session/undo", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionUndo)},
		{Name: "agent/session/restore", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionRestore)},
		{Name: "agent/session/export", Concurrency: wire.Read, Method: wire.Handle((*Server).sessionExport)},
		{Name: "agent/session/delete", Concurrency: wire.PerSession, Method: wire.Handle((*Server).sessionDelete)},
		{Name: "agent/queue", Concurrency: wire.PerSession, Method: wire.Handle((*Server).queue)},
		{Name: "agent/rules", Concurrency: wire.PerSession, Method: wire.Handle((*Server).rules), Key: rulesKey},
		{Name: "agent/explain", Concurrency: wire.Read, Method: wire.Handle((*Server).explain)},
		{Name: "agent/config", Concurrency: wire.PerSession, Method: wire.Handle((*Server).config), Key: configKey},
		{Name: "agent/models", Concurrency: wire.Read, Method: wire.Handle((*Server).models)},
		{Name: "agent/commands", Concurrency: wire.Read, Method: wire.Handle((*Server).listCommands)},
		{Name: "agent/skills", Concurrency: wire.Read, Method: wire.Handle((*Server).skills)},
		{Name: "agent/mcp", Concurrency: wire.Read, Method: wire.Handle((*Server).mcp)},
		{Name: "agent/usage", Concurrency: wire.Read, Method: wire.Handle((*Server).usage)},
		{Name: "agent/status", Concurrency: wire.Read, Method: wire.Handle((*Server).status)},
		{Name: "agent/describe", Concurrency: wire.Read, Method: wire.Handle((*Server).describe)},
	}
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
