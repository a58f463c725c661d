package main

import (
	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// A session that is not told of files would say yes to whatever they hold.
var _ control.Reader = (*workspace.Vault)(nil)

// accepted is what people have said yes to of the files that commands start. What a
// command did whose process was killed, nobody has seen to its end.
func accepted(w *wiring, vault *workspace.Vault) *config.Accepted {
	keep := func(object string) {
		if !control.MerelySecret(object) {
			vault.KeepStarted(object)
		}
	}
	a := config.OpenAccepted(w.home, vault.WorkspaceID(), config.AcceptedOptions{Disk: w.disk, Hash: vault.StartedHash, Keep: keep, Unfollowed: vault.JobsRun})
	if !w.looking && vault.LostCommands() {
		a.Doubt()
	}
	return a
}

// unasked is since when commands ran without a question in the workspace.
func unasked(w *wiring, vault *workspace.Vault) *config.Unasked {
	return config.OpenUnasked(w.disk, w.home, vault.WorkspaceID())
}
