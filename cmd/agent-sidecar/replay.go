package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/bundle"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// replay prints a bundle, or a session of this directory as its bundle would be: as
// a conversation file that plays, as events, or for people. No model, tool, hook or
// server is started.
func (p *program) replay(words []string) int {
	switch {
	case len(words) == 0:
		return p.misused("replay: which file or session?")
	case p.eventsOnly && p.forPeople:
		return p.misused("replay: --events or --text, not both")
	}
	b, err := p.bundleOf(words[0])
	if err != nil {
		return p.fail("%s", control.Title(err.Error(), 400))
	}
	var out bytes.Buffer
	switch {
	case p.eventsOnly:
		err = b.WriteEvents(&out)
	case p.forPeople:
		tell(&out, b)
	default:
		err = b.Conversation(&out)
	}
	if err != nil {
		return p.fail("replay %s: %s", control.Title(words[0], 200), control.Title(err.Error(), 400))
	}
	return p.show(out.Bytes())
}

// bundleOf is a file, or with a number the session of this directory.
func (p *program) bundleOf(word string) (*bundle.Bundle, error) {
	if strings.Trim(word, "0123456789") != "" {
		return p.readBundle(word)
	}
	w, back, err := p.look()
	if err != nil {
		return nil, err
	}
	defer closeBackend(back)
	var whole bytes.Buffer
	if err := w.bundles.write(&whole, word, !p.asItIs); err != nil {
		return nil, err
	}
	b, err := bundle.Read(&whole)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", word, err)
	}
	return b, nil
}

// tell shows a session as the terminal shows a run. All of it is what a file says,
// so all of it passes the filter (ruling 93).
func tell(out *bytes.Buffer, b *bundle.Bundle) {
	var raw strings.Builder
	defer func() { out.WriteString(control.Lines(raw.String())) }()
	t := &terminal{out: &raw}
	t.line(fmt.Sprintf("Session %s: %s", control.Title(b.Session, 40), control.Title(b.Title, 80)))
	b.Events(func(o history.Origin, e history.Event) {
		root := len(o.AgentPath) == 0
		switch body := e.Body.(type) {
		case history.RunStarted:
			if root && body.Kind == "prompt" {
				t.line("")
				t.print("You: " + history.TextOf(body.Prompt))
				t.line("")
			}
		case history.UserMessage:
			if root && body.Steering {
				t.print("You: " + history.TextOf(body.Content))
				t.line("")
			}
		case history.AssistantMessage:
			if root && body.Text != "" {
				t.print(body.Text)
			}
		case history.Approval:
			t.line("  ? " + body.Title)
		case history.ApprovalResolved:
			t.line("    " + control.Title(body.Decision+", by "+body.By, 80))
		}
		t.Event(o, e)
		if ended, ok := e.Body.(history.RunEnded); ok && root && ended.StopReason != "end_turn" {
			t.line("  = " + control.Title(ended.StopReason, 40))
		}
	})
	t.endLine()
	for _, l := range b.LeftOut {
		t.line(control.Title(fmt.Sprintf("Not in the bundle: %s %s: %s", l.Kind, l.Name, l.Reason), 200))
	}
}
