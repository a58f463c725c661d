package main

import (
	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/workspace"
)

// sandbox is the one prober of this process: what it found holds for every
// workspace.
func (w *wiring) sandbox() *workspace.Prober {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.prober == nil {
		home := w.home
		if w.looking {
			home = "" // it remembers nothing either
		}
		w.prober = workspace.NewProber(home)
	}
	return w.prober
}

// lookForSandbox finds out, while everything else starts, what initialize will
// tell; whoever asks before it is done waits in the prober. The channel closes
// when it is done.
func (w *wiring) lookForSandbox() <-chan struct{} {
	prober, looked := w.sandbox(), make(chan struct{})
	go func() {
		defer close(looked)
		prober.Sandbox(workspace.SandboxSettings{})
	}()
	return looked
}

// sandboxSettings are those of the configuration as it is when a command starts.
func sandboxSettings(config *control.Store) func() workspace.SandboxSettings {
	return func() workspace.SandboxSettings {
		s := config.Settings().Sandbox
		return workspace.SandboxSettings{Mode: s.Mode, Network: s.Network, Writable: s.Writable}
	}
}

// sandboxReport is what clients are told (ruling 78).
func (w *wiring) sandboxReport(config *control.Store) func() rpc.Sandbox {
	settings := sandboxSettings(config)
	return func() rpc.Sandbox { return rpc.Sandbox(w.sandbox().Sandbox(settings())) }
}
