package rpc

import "strings"

// rows is the method table: what a client may ask, what it must send along, and
// when its turn comes. PROTOCOL.md and the schema are held against it. It is a
// function because handlers name it: initialize says which methods there are.
func rows() []row[*Server] {
	return []row[*Server]{
		{name: "initialize", concurrency: ordered, method: handle((*Server).initialize)},
		{name: "initialized", method: notice((*Server).initialized)},
		{name: "shutdown", concurrency: ordered, method: handle((*Server).shutdown)},

		{name: "textDocument/didOpen", method: notice((*Server).didOpen)},
		{name: "textDocument/didChange", method: notice((*Server).didChange)},
		{name: "textDocument/didSave", method: notice((*Server).didSave)},
		{name: "textDocument/didClose", method: notice((*Server).didClose)},
		{name: "workspace/didChangeConfiguration", method: notice((*Server).didChangeConfiguration)},
		{name: "workspace/didChangeWorkspaceFolders", method: notice((*Server).didChangeWorkspaceFolders)},
		{name: "window/workDoneProgress/cancel", method: notice((*Server).progressCancel)},

		{name: "textDocument/codeAction", concurrency: read, method: handle((*Server).codeAction)},
		{name: "codeAction/resolve", concurrency: read, method: handle((*Server).resolveCodeAction)},
		{name: "workspace/executeCommand", concurrency: perSession, method: handle((*Server).executeCommand), key: commandSession},
		{name: "workspace/textDocumentContent", concurrency: read, method: handle((*Server).textDocumentContent)},

		{name: "agent/run", concurrency: perSession, method: handle((*Server).run)},
		{name: "agent/cancel", concurrency: ordered, method: handle((*Server).cancel)},
		{name: "agent/approve", concurrency: global, method: handle((*Server).approve), key: approvalKey},
		{name: "agent/approvals", concurrency: read, method: handle((*Server).approvals)},
		{name: "agent/artifact", concurrency: read, method: handle((*Server).artifact)},
		{name: "agent/artifact/list", concurrency: read, method: handle((*Server).artifactList)},
		{name: "agent/events", concurrency: read, method: handle((*Server).events)},
		{name: "agent/session/new", concurrency: perSession, method: handle((*Server).sessionNew)},
		{name: "agent/session/list", concurrency: read, method: handle((*Server).sessionList)},
		{name: "agent/session/resume", concurrency: perSession, method: handle((*Server).sessionResume)},
		{name: "agent/session/update", concurrency: perSession, method: handle((*Server).sessionUpdate)},
		{name: "agent/session/compact", concurrency: perSession, method: handle((*Server).sessionCompact)},
		{name: "agent/session/delete", concurrency: perSession, method: handle((*Server).sessionDelete)},
		{name: "agent/status", concurrency: read, method: handle((*Server).status)},
		{name: "agent/describe", concurrency: read, method: handle((*Server).describe)},
	}
}

// Methods are the requests of ours that work (protocol §2 methods[]).
func Methods() []string {
	var names []string
	for _, r := range rows() {
		if strings.HasPrefix(r.name, "agent/") {
			names = append(names, r.name)
		}
	}
	return names
}
