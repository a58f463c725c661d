package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/session/bundle"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// replay prints a bundle, or a session of this directory as its bundle would be: for
// people, or as events. No model, tool, hook or server is started.
func (p *program) replay(words []string) int {
	if len(words) == 0 {
		return p.misused("replay: which file or session?")
	}
	b, err := p.bundleOf(words[0])
	if err != nil {
		return p.fail("%s", title(string(p.words("%v", err)), 400))
	}
	if !p.eventsOnly {
		return p.show(gather(func(to screen) { tell(to, p.locale(), b) }))
	}
	var out bytes.Buffer
	if err := b.WriteEvents(&out); err != nil {
		return p.fail("replay %s: %s", title(words[0], 200), title(err.Error(), 400))
	}
	return p.show(escaped(out.String()))
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
	if err := w.bundles.write(&whole, sessionID(word), !p.asItIs); err != nil {
		return nil, err
	}
	b, err := bundle.Read(&whole)
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", word, err)
	}
	return b, nil
}

// tell shows a session as the terminal shows a run.
func tell(out screen, lang string, b *bundle.Bundle) {
	t := &terminal{out: out, lang: lang}
	t.print(t.words("Session %s: %s\n", title(b.Session, 40), title(b.Title, 80)))
	b.Events(func(o history.Origin, e history.Event) {
		root := len(o.AgentPath) == 0
		switch body := e.Body.(type) {
		case history.RunStarted:
			if root && body.Kind == "prompt" {
				t.line("")
				t.print(t.words("You: ") + lines(history.ShownOf(body.Words())))
				t.line("")
			}
		case history.UserMessage:
			if root && body.Steering {
				t.print(t.words("You: ") + lines(history.ShownOf(body.Content)))
				t.line("")
			}
		case history.AssistantMessage:
			if root && body.Text != "" {
				t.print(lines(body.Text))
			}
		case history.Approval:
			t.line("  ? " + title(locale.Say(lang, body.Title), 0))
		case history.ApprovalResolved:
			t.line("    " + title(string(t.words("%s, by %s", body.Decision, body.By)), 80))
		}
		t.Event(o, e)
		if ended, ok := e.Body.(history.RunEnded); ok && root && ended.StopReason != history.StopEndTurn {
			t.line("  = " + title(string(ended.StopReason), 40))
		}
	})
	t.endLine()
	for _, l := range b.LeftOut {
		t.line(title(string(t.words("Not in the bundle: %s %s: %s", l.Kind, l.Name, l.Reason)), 200))
	}
}
