package main

import (
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/rpc"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
)

// sandbox is the one prober of this process: what it found holds for every
// workspace.
func (w *wiring) sandbox() *sandbox.Prober {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.prober == nil {
		home := w.home
		if w.looking {
			home = "" // it remembers nothing either
		}
		w.prober = sandbox.NewProber(home)
	}
	return w.prober
}

// lookForSandbox finds out, while everything else starts, what initialize will
// tell; whoever asks before it is found waits in the prober. That it is kept for the
// next start nobody waits for. The channel closes when both are done.
func (w *wiring) lookForSandbox() <-chan struct{} {
	prober, disk, looked := w.sandbox(), w.ownDisk(), make(chan struct{})
	go func() {
		defer close(looked)
		prober.Report(sandbox.Settings{})
		prober.Remember(disk)
	}()
	return looked
}

// sandboxSettings are those of the configuration as it is when a command starts.
func sandboxSettings(config *config.Store) func() sandbox.Settings {
	return func() sandbox.Settings {
		s := config.Settings().Sandbox
		return sandbox.Settings{
			Mode: s.Mode, Network: s.Network, Readable: s.Readable, Writable: s.Writable,
			MaxProcesses: s.MaxProcesses, MaxMemory: s.MaxMemoryMb << 20, MaxDisk: s.MaxDiskMb << 20,
		}
	}
}

// sandboxReport is what clients are told.
func (w *wiring) sandboxReport(config *config.Store) func() rpc.Sandbox {
	settings := sandboxSettings(config)
	return func() rpc.Sandbox {
		s, word := settings(), config.Settings().Sandbox.AutoAllow
		r := w.sandbox().Report(s)
		if word == "workspace" && !r.Keeps(s, w.userHome) {
			r.Missing = append(r.Missing, missingUnasked)
		}
		return rpc.Sandbox{Level: r.Level, Network: r.Network, Files: r.Files, Missing: r.Missing, AutoAllow: word}
	}
}

// missingUnasked is what is missing where commands are asked about although the person
// wants no question.
const missingUnasked = "running commands without asking (sandbox.autoAllow): it needs the level namespaces with nothing missing, no network, and no sandbox.readable or sandbox.writable that contains the home directory"
