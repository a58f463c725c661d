package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Update is what a client wants changed; nil members stay.
type Update struct {
	Title        *string
	Mode         *tool.Mode
	Confirm      bool
	Agent        *string
	Model        *string
	RuntimeMode  *string
	Runner       *string
	Params       *ParamsPatch
	SystemPrompt *string
}

// Update changes a session and says for each member when it acts: at once, or,
// where a run is at work that has taken it already, with the next one
// ("queued-change"). Every request is recorded when it is
// made, so the last one wins, and none is lost with the process; which of them a
// run works with was decided when it began.
func (s *Session) Update(u Update) (applied map[string]string, err error) {
	if err := s.agents.check(u, s.Info().Agent); err != nil {
		return nil, err
	}
	if u.Mode != nil && *u.Mode == "" {
		mode := s.deps.modeOfNew()
		u.Mode = &mode
	}
	place, err := u.place(s.deps, s.Info())
	if err != nil {
		return nil, err
	}
	if u.Mode != nil {
		if err := s.calls.auditor.mode(*u.Mode); err != nil && *u.Mode == tool.ModeFullAccess {
			return nil, fmt.Errorf("the audit log cannot be written, so full access is not given: %w", err)
		}
	}
	x := s.journal.Begin()
	defer func() {
		idle := s.live == nil
		runner := x.State.Info.Runner
		if x.End(); idle && err == nil && s.parent == nil {
			err = s.root.settle(s.deps, runner)
		}
	}()
	body := history.Changed{Title: CleanTitle(u.Title), Mode: u.Mode, Agent: u.Agent, Model: cleaned(u.Model), RuntimeMode: place.mode, Runner: place.runner, SystemPrompt: cleaned(u.SystemPrompt)}
	if u.Params != nil {
		merged := u.Params.on(x.State.Info.Params)
		body.Params = &merged
	}
	if body != (history.Changed{}) {
		if err := x.TryAppend("", body); err != nil {
			return nil, err
		}
	}
	if u.Mode != nil {
		s.root.said.full = nil
		if runner := x.State.Info.Runner; *u.Mode == tool.ModeFullAccess {
			s.root.said.full = &runner
		}
	}
	later := "now"
	if s.live != nil {
		later = "queued-change"
	}
	applied = map[string]string{}
	for _, m := range []struct {
		name  string
		given bool
		when  string
	}{
		{"title", u.Title != nil, "now"}, {"mode", u.Mode != nil, "now"}, {"agent", u.Agent != nil, later}, {"model", u.Model != nil, later},
		{"runtimeMode", u.RuntimeMode != nil, later}, {"runner", u.Runner != nil, later}, {"params", u.Params != nil, later}, {"systemPrompt", u.SystemPrompt != nil, later},
	} {
		if m.given {
			applied[m.name] = m.when
		}
	}
	s.root.said.touch()
	s.writeInfo(x)
	return applied, nil
}

// The runtime modes.
const (
	Local = "local" // on this machine
	Cloud = "cloud" // on that of a runner
)

// placed is where a session is to work from now on; nil members are as they are.
type placed struct{ mode, runner *string }

// place is where the session is to work: a runner alone means cloud, local means none, and
// cloud alone means the one that the session has, or the only one there is.
func (u *Update) place(deps *Deps, now history.Info) (placed, error) {
	if u.RuntimeMode == nil && u.Runner == nil {
		return placed{}, nil
	}
	mode, runner := Cloud, now.Runner
	if u.Runner != nil {
		runner = *u.Runner
	}
	if u.RuntimeMode != nil {
		mode = *u.RuntimeMode
	} else if runner == "" {
		mode = Local
	}
	if mode == Local {
		if u.Runner != nil && runner != "" {
			return placed{}, &InvalidError{"runner", "is given with the runtimeMode local"}
		}
		return changed(now, mode, ""), nil
	}
	var names []string
	if deps.Elsewhere != nil {
		names = deps.Elsewhere.Runners()
	}
	if runner == "" && len(names) == 1 {
		runner = names[0]
	}
	if !slices.Contains(names, runner) {
		return placed{}, &RunnerError{runner, names}
	}
	return changed(now, mode, runner), nil
}

func changed(now history.Info, mode, runner string) placed {
	if now.RuntimeMode == mode && now.Runner == runner {
		return placed{}
	}
	return placed{&mode, &runner}
}

// mostTitle bounds a title in characters.
const mostTitle = 200

// CleanTitle is a title as lists show it: one line of at most 200 characters,
// without blanks around it. nil stays nil.
func CleanTitle(title *string) *string {
	if title == nil {
		return nil
	}
	t := control.Title(strings.TrimSpace(history.Clean(*title)), mostTitle)
	return &t
}

func cleaned(text *string) *string {
	if text == nil {
		return nil
	}
	t := history.Clean(*text)
	return &t
}

// check refuses what cannot be done in a session whose agent is own.
func (o *roster) check(u Update, own string) error {
	if u.Agent != nil {
		own = *u.Agent
	}
	switch {
	case u.RuntimeMode != nil && *u.RuntimeMode != Local && *u.RuntimeMode != Cloud:
		return &InvalidError{"runtimeMode", fmt.Sprintf("%q is neither local nor cloud", *u.RuntimeMode)}
	case u.Agent != nil && !o.has(*u.Agent):
		return &InvalidError{"agent", fmt.Sprintf("there is no agent %q", *u.Agent)}
	case u.Agent != nil && !o.served(*u.Agent):
		a, _ := o.deps.agent(*u.Agent, o.mode())
		return &InvalidError{"agent", notServed(a, o.root.kind())}
	case u.Model != nil && *u.Model != "" && !o.mayUse(own, *u.Model):
		return &InvalidError{"model", fmt.Sprintf("the agent of this session may not use the model %q", *u.Model)}
	}
	if err := errors.Join(u.tooLong(), u.Params.check()); err != nil {
		return err
	}
	if err := o.deps.canOpen(u.Model); err != nil {
		return err
	}
	switch {
	case u.Mode == nil:
		return nil
	case *u.Mode != "" && *u.Mode != tool.ModeAsk && *u.Mode != tool.ModeAgent && *u.Mode != tool.ModeFullAccess:
		return &InvalidError{"mode", fmt.Sprintf("%q is none of ask, agent, full_access", *u.Mode)}
	case *u.Mode == tool.ModeFullAccess && !o.root.place().Surroundings.Facts().Trusted:
		return &ConfirmError{"trust", "full access needs a trusted workspace"}
	case *u.Mode == tool.ModeFullAccess && !u.Confirm:
		return &ConfirmError{"confirm", "full access allows everything that would be asked about; say confirm: true"}
	}
	return nil
}

// canOpen says what of the configuration keeps a model from being asked at all.
// That it answers is not tried.
func (d *Deps) canOpen(name *string) error {
	if name == nil || *name == "" {
		return nil
	}
	if _, err := d.Models.OpenModel(*name, nil); err != nil {
		return &ConfigError{"model", err.Error()}
	}
	return nil
}
