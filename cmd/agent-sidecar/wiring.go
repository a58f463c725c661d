package main

import (
	"context"
	"net"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control/audit"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/durable"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/runner"
	"github.com/agent-sidecar/agent-sidecar/workspace/sandbox"
	"github.com/rs/zerolog"
)

// wiring is what this start of the program serves with.
func (p *program) wiring() *wiring {
	return &wiring{home: p.home, userHome: p.userHome, log: p.log, trustClient: p.trustClient, env: p.env, environ: p.environ, overlaid: overlaid{p.model, p.layer}}
}

// overlaid is what the command line says in the place of the configuration.
type overlaid struct {
	model string // "" = the configured one
	layer layer
}

// wiring is the one place where the packages meet: it builds what the protocol
// and the terminal serve from what the process was started with.
type wiring struct {
	home        string // the sidecar's
	userHome    string // the person's; "" leaves ~ unexpanded
	log         zerolog.Logger
	trustClient bool
	env         func(string) string
	environ     func() []string  // nil: none
	local       []model.Provider // found on this machine, and the person said yes
	overlaid
	looking   bool // nothing is to be changed, not even what is too old
	following bool // the files of the configuration are read when they change, and not only between turns
	// disk and dial are replaced in tests; nil is the real one. vocabulary is shared in
	// tests, where many servers are in one process; nil is one that is let go.
	disk       *durable.Disk
	dial       func(ctx context.Context, network, addr string) (net.Conn, error)
	vocabulary *model.Vocabulary

	// dialHere puts a worker between every session and this machine, and dialTo reaches the
	// worker of a runner; for tests, where nil is as it is always.
	dialHere runner.Dial
	dialTo   func(config.Runner) runner.Dial

	mu          sync.Mutex // guards everything below
	audits      map[string]*audit.Log
	prober      *sandbox.Prober
	connections string // as the catalog has them from the configuration
	bundles     *bundles
}

// another is the same for one more workspace of this process. What was found out about the machine is shared.
func (w *wiring) another() *wiring {
	prober, disk := w.sandbox(), w.ownDisk()
	return &wiring{
		home: w.home, userHome: w.userHome, log: w.log, trustClient: w.trustClient, env: w.env, environ: w.environ, local: w.local, overlaid: w.overlaid,
		looking: w.looking, following: w.following, disk: disk, dial: w.dial, vocabulary: w.vocabulary, dialHere: w.dialHere, dialTo: w.dialTo, prober: prober,
	}
}

// ownDisk is the one way to the disk of this process.
func (w *wiring) ownDisk() *durable.Disk {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.disk == nil {
		w.disk = &durable.Disk{}
	}
	return w.disk
}

// audit is the audit of one session, opened once.
func (w *wiring) audit(workspaceID, sessionID string) *audit.Log {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.audits[sessionID]; ok {
		return a
	}
	return w.auditAtLocked(sessionID, audit.Path(w.home, workspaceID, sessionID))
}

// auditSessions is the audit of which sessions there are.
func (w *wiring) auditSessions() *audit.Log {
	w.mu.Lock()
	defer w.mu.Unlock()
	path := audit.SessionsPath(w.home)
	if a, ok := w.audits[path]; ok {
		return a
	}
	return w.auditAtLocked(path, path)
}

func (w *wiring) auditAtLocked(name, path string) *audit.Log {
	a, err := audit.Open(w.disk, path)
	if err != nil {
		w.log.Error().Err(err).Msg("audit")
		return nil // and try again next time
	}
	w.audits[name] = a
	return a
}
