package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/control/secrets"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// listRunners says which runners there are. None is reached for it: that costs time, and may
// start a machine.
func (d *doctor) listRunners(s *config.Settings) {
	for _, r := range s.Runners {
		d.tell("info", "runner", said.That("%s: %s (not tried; agent-sidecar doctor %s does)", r.Name, control.Title(strings.Join(r.Connect, " "), 200), r.Name))
	}
}

// tryRunners reaches the runners with these names, for the directory that the command was
// started in, and lets go of them.
func (d *doctor) tryRunners(names []string) {
	_, back, err := d.look()
	if err != nil {
		d.say(false, "runner", because(err))
		return
	}
	defer closeBackend(back)
	away := back.Runners.(*runners) // open makes no others
	ctx, stop := interrupted()
	defer stop()
	for _, name := range names {
		if !slices.Contains(away.Runners(), name) {
			d.say(false, "runner", said.That("%s: the configuration has no such runner; it has: %s", name, orNone(away.Runners())))
			continue
		}
		if r, _ := away.config.Settings().Runner(name); r.Pool() { // a machine that no session has, nobody would let go of
			d.tell("info", "runner", said.That("%s: not tried, because each session there has a machine of its own", name))
			continue
		}
		d.tryRunner(ctx, away, name)
	}
}

func (d *doctor) tryRunner(ctx context.Context, away *runners, name string) {
	began := time.Now()
	found, err := away.try(ctx, name)
	if err != nil {
		d.say(false, "runner", said.That("%s: not reached: %s", name, secrets.Redact(err.Error())))
		return
	}
	d.say(true, "runner", said.That("%s: reached in %s; one question takes %s", name, plainTime(time.Since(began)), plainTime(found.RoundTrip)))
	d.tell("info", "runner", said.That("%s: agent-sidecar %s, %s, in %s", name, version, found.machine.System, strings.Join(found.machine.Roots, ", ")))
	d.tell("info", "runner", said.That("%s: commands there: %s", name, sandboxWords(found.box)))
}

// plainTime is a duration as a person reads it.
func plainTime(t time.Duration) string {
	switch {
	case t < time.Millisecond:
		return "< 1 ms"
	case t < time.Second:
		return t.Round(time.Millisecond).String()
	}
	return t.Round(100 * time.Millisecond).String()
}
