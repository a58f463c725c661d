package main

import (
	"context"
	"os"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// checkSync says whether sessions of this directory are copied to the person's server, and
// where not, why. It says no where none is configured.
func (d *doctor) checkSync(config *config.Store) (configured bool) {
	w := d.wiring()
	w.ownDisk()
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	s := w.synced(config, resolved(dir))
	if s == nil {
		return false
	}
	if !s.missing.IsZero() {
		d.tell("warn", "sync", s.missing)
		return true
	}
	defer s.server.Close()
	if d.offline {
		d.tell("info", "sync", said.That("%s was not asked", config.Settings().Sync.URL))
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	s.server.Begin()
	select {
	case <-s.server.Tried():
	case <-ctx.Done():
	}
	select {
	case <-s.server.Reconnected():
		if there, _, err := s.space.Tokens(ctx); err != nil {
			d.say(false, "sync", because(err))
		} else {
			d.say(true, "sync", said.That("%s has %d sessions of this workspace", config.Settings().Sync.URL, len(there)))
		}
	default:
		why := said.That("%s cannot be reached", config.Settings().Sync.URL)
		if err := s.server.Why(); err != nil {
			why = said.That("%s cannot be reached: %s", config.Settings().Sync.URL, err.Error())
		}
		d.say(false, "sync", why)
	}
	return true
}
