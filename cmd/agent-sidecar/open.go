package main

import (
	"path/filepath"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/fileuri"
	"github.com/agent-sidecar/agent-sidecar/rpc"
)

// workspaceOf is a directory as a terminal opens it.
func workspaceOf(dir string, t *terminal) rpc.Workspace {
	return rpc.Workspace{Folders: []rpc.Folder{{Name: filepath.Base(dir), Path: dir, URI: fileuri.Of(dir)}}, Approver: t, Notifier: t}
}

// openWith opens the workspace of a directory behind a terminal.
func (p *program) openWith(w *wiring, words []string, t *terminal) (*rpc.Backend, error) {
	dir, err := directory(words)
	if err != nil {
		return nil, err
	}
	return w.open(workspaceOf(dir, t))
}

// look opens this directory for a command that only looks: nothing is changed, not
// even what is too old.
func (p *program) look() (*wiring, *rpc.Backend, error) {
	w := p.wiring()
	w.looking = true
	back, err := p.openWith(w, nil, &terminal{out: p.out})
	return w, back, err
}

// warn says what is wrong with the configuration.
func (p *program) warn(config *config.Store) {
	for _, d := range config.Settings().Diagnostics {
		p.note("%s", title(d.String(), 2000))
	}
}

func closeBackend(b *rpc.Backend) {
	ctx, cancel := shortly()
	defer cancel()
	_ = b.Sessions.Close(ctx) // what could not be written was reported when it happened
	_ = b.Close(ctx)
}
