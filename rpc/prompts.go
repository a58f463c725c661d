package rpc

import (
	"cmp"
	"context"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/prompts"
	"github.com/agent-sidecar/agent-sidecar/session/skills"
)

// promptCommand is a prompt command as a client shows it.
type promptCommand struct {
	Name         string        `json:"name"`
	Description  string        `json:"description"`
	ArgumentHint string        `json:"argumentHint,omitempty"`
	Source       skills.Source `json:"source"`
	Path         string        `json:"path,omitempty"`
	Agent        string        `json:"agent,omitempty"`
	Model        string        `json:"model,omitempty"`
	// Request is what the client sends itself: agent/run does not do it. Of plan it is for
	// the command alone, with nothing behind it.
	Request string `json:"request,omitempty"`
}

type commandsResult struct {
	Commands []promptCommand `json:"commands"`
	Problems []skillProblem  `json:"problems,omitempty"`
}

// listCommands lists the prompt commands as their files are now.
func (s *about) listCommands(context.Context, *wire.Call, wire.None) (commandsResult, error) {
	found := s.back.Own.Commands()
	out := commandsResult{Commands: []promptCommand{}, Problems: s.skillProblems(found.Problems)}
	for _, c := range found.Ready() {
		out.Commands = append(out.Commands, promptCommand{c.Name, locale.Say(s.client.Locale, c.Description), c.Hint, c.Source, c.Path, c.Agent, c.Model, c.Request})
	}
	return out, nil
}

// expand makes of a prompt that begins with a command what the command says. What the client
// has attached stays as it is: that the person has pointed at.
func (s *runs) expand(ctx context.Context, p *runParams) (typed string, e prompts.Expansion, err error) {
	if len(p.Prompt) == 0 || p.Prompt[0].Ignored || !prompts.MayMean(p.Prompt[0].Text) {
		return "", e, nil
	}
	if e, err = s.own.Commands().Expand(ctx, p.Prompt[0].Text); err != nil {
		return "", e, err
	}
	p.Prompt = slices.Clone(p.Prompt)
	for _, a := range e.Attached {
		p.Prompt = append(p.Prompt, history.Block{Type: "resource_link", URI: a.Path, Text: a.Text})
	}
	typed, p.Prompt[0].Text = p.Prompt[0].Text, e.Text
	if typed == e.Text {
		return "", e, nil
	}
	p.Agent, p.Model = cmp.Or(e.Command.Agent, p.Agent), cmp.Or(e.Command.Model, p.Model)
	if e.Compact && p.Delivery == session.DeliverSteer {
		p.Delivery = session.DeliverAuto // a summary is a run of its own
	}
	return history.Clean(typed), e, nil
}

// switchTo lets a session go on with the agent of a command that stays chosen.
func switchTo(of *session.Session, e prompts.Expansion) error {
	if !e.Stay {
		return nil
	}
	_, err := of.Update(session.Update{Agent: &e.Command.Agent})
	return err
}
