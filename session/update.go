package session

import (
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Update is what a client wants changed; nil members stay (protocol §3
// agent/session/update).
type Update struct {
	Title        *string
	Mode         *string
	Confirm      bool
	Agent        *string
	Model        *string
	RuntimeMode  *string
	Params       *ParamsPatch
	SystemPrompt *string
}

// Update changes a session and says for each member when it acts. What a run
// has taken already (agent, model, parameters, prompt) changes with the next
// run: "queued-change".
func (s *Session) Update(u Update) (map[string]string, error) {
	if err := s.check(u); err != nil {
		return nil, err
	}
	if u.Mode != nil {
		if err := s.auditMode(*u.Mode); err != nil && *u.Mode == "full_access" {
			return nil, fmt.Errorf("the audit log cannot be written, so full access is not given: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	body := history.Changed{Title: cleaned(u.Title), Mode: u.Mode, Agent: u.Agent, Model: cleaned(u.Model), SystemPrompt: cleaned(u.SystemPrompt)}
	if u.Params != nil {
		merged := u.Params.on(s.t.Params)
		body.Params = &merged
	}
	if body != (history.Changed{}) {
		if err := s.offerLocked("", body); err != nil {
			return nil, err
		}
	}
	if u.Mode != nil {
		s.full = *u.Mode == "full_access"
	}
	later := "now"
	if s.live != nil {
		later = "queued-change"
	}
	applied := map[string]string{}
	for name, when := range map[string]string{"title": "now", "mode": "now", "agent": later, "model": later, "params": later, "systemPrompt": later} {
		if u.has(name) {
			applied[name] = when
		}
	}
	if u.RuntimeMode != nil {
		applied["runtimeMode"] = "now"
	}
	s.touchLocked()
	s.writeInfo()
	return applied, nil
}

func cleaned(text *string) *string {
	if text == nil {
		return nil
	}
	t := history.Clean(*text)
	return &t
}

func (u Update) has(name string) bool {
	switch name {
	case "title":
		return u.Title != nil
	case "mode":
		return u.Mode != nil
	case "agent":
		return u.Agent != nil
	case "model":
		return u.Model != nil
	case "params":
		return u.Params != nil
	default:
		return u.SystemPrompt != nil
	}
}

func (s *Session) check(u Update) error {
	switch {
	case u.RuntimeMode != nil && *u.RuntimeMode == "cloud":
		return &RunnerError{"cloud"}
	case u.RuntimeMode != nil && *u.RuntimeMode != "local":
		return &InvalidError{"runtimeMode", fmt.Sprintf("%q is neither local nor cloud", *u.RuntimeMode)}
	case u.Agent != nil && !s.hasAgent(*u.Agent):
		return &InvalidError{"agent", fmt.Sprintf("there is no agent %q", *u.Agent)}
	case u.Model != nil && *u.Model != "" && !s.mayUse(u.Agent, *u.Model):
		return &InvalidError{"model", fmt.Sprintf("the agent of this session may not use the model %q", *u.Model)}
	case u.Mode == nil:
		return nil
	case *u.Mode != "agent" && *u.Mode != "full_access":
		return &InvalidError{"mode", fmt.Sprintf("%q is neither agent nor full_access", *u.Mode)}
	case *u.Mode == "full_access" && !s.deps.Facts().Trusted:
		return &ConfirmError{"trust", "full access needs a trusted workspace"}
	case *u.Mode == "full_access" && !u.Confirm:
		return &ConfirmError{"confirm", "full access allows everything that would be asked about; say confirm: true"}
	}
	return nil
}

// Resumed is what a client needs to go on with a session.
type Resumed struct {
	Info        history.Info
	TailSeq     int64
	Interrupted *history.Interrupted
	Pending     []history.Approval
	Queue       []history.QueueItem
}

// Resume describes a session to a client that opens it.
func (s *Session) Resume() Resumed {
	r := Resumed{Info: s.Info(), Pending: s.Pending(), Queue: s.Queue()}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.TailSeq, r.Interrupted = s.t.Seq, s.t.Interrupted
	return r
}
