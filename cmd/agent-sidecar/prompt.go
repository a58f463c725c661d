package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session"
)

// showPrompt prints what a session in this directory would be sent: the system prompt
// layer by layer, the tools, the parameters, and with --session the conversation;
// with --json the request itself. It asks and starts nothing and writes nothing.
// The exit code is 2 when there is no such session, agent or model.
func (p *program) showPrompt(words []string) int {
	_, back, err := p.look()
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	text := strings.TrimSpace(strings.Join(words, " "))
	v, err := back.Sessions.Preview(sessionID(p.session), session.Look{Agent: p.agent, Model: p.model, Prompt: text})
	_, wrong := errors.AsType[*session.InvalidError](err)
	if _, missing := errors.AsType[*session.NotFoundError](err); wrong || missing {
		return p.misused("prompt: %s", title(err.Error(), 2000))
	}
	if err != nil {
		return p.fail("%s", title(err.Error(), 2000))
	}
	p.warn(back.Config)
	if p.json {
		if !v.Trusted {
			p.note("%s", notTrusted)
		}
		return p.show(visibleJSON(model.Body(v.Request, v.Info)))
	}
	return p.show(gather(func(to screen) {
		writePreview(to, v)
		for _, server := range back.Config.Settings().Servers {
			to.say("    and those of the MCP server %s, once it runs\n", title(server.Name, 100))
		}
		writeConversation(to, v)
	}))
}

// notTrusted is why a project's words are missing.
const notTrusted = "this folder is not trusted: its AGENTS.md and its memory are left out; --trust-client shows them"

// writePreview is everything but the conversation. What is sent is indented: no text
// can look like a heading.
func writePreview(w screen, v session.Preview) {
	name := title(v.Model, 200)
	switch {
	case name == "":
		name = "none is configured"
	case v.NoModel != nil:
		name += showf(" (%s)", title(v.NoModel.Error(), 200))
	}
	w.say("agent %s, model %s\n", title(v.Agent.Name, 0), name)
	w.say("parameters: %s\n", parameters(v.Request.Params))
	if !v.Trusted {
		w.say(notTrusted + "\n")
	}
	if v.Running {
		w.say("a run of this session has not ended; this is what would be sent if it ended now\n")
	}
	var whole strings.Builder
	for _, l := range v.Layers {
		whole.WriteString(l.Text)
	}
	w.say("\nSYSTEM PROMPT  %s\n", size(v, whole.String()))
	for _, l := range v.Layers {
		w.say("\n%s  %s  %s\n", l.Name, title(l.Source, 300), size(v, l.Text))
		if l.Note != "" {
			w.say("(%s)\n", title(l.Note, 300))
		}
		writeIndented(w, l.Text)
	}
	for _, kind := range v.Hooks {
		w.say("\n(hooks of %s would still change this; they are programs and were not started)\n", kind)
	}
	w.say("\nREMINDERS  sent in your message, with the next prompt: %d\n", len(v.Reminders))
	for _, text := range v.Reminders {
		writeIndented(w, text)
	}
	writeTools(w, v)
}

func writeTools(w screen, v session.Preview) {
	all, longest := "", 0
	for _, one := range v.Request.Tools {
		all += toolText(one)
		longest = max(longest, len(title(one.Name, 64)))
	}
	w.say("\nTOOLS  %d, %s\n", len(v.Request.Tools), size(v, all))
	for _, one := range v.Request.Tools {
		w.say("    %-*s  description %5d, schema %5d bytes, about %4d tokens\n", longest, title(one.Name, 64), len(one.Description), len(one.Schema), v.Tokens(toolText(one)))
	}
}

func toolText(t model.Tool) string { return t.Name + t.Description + string(t.Schema) }

// writeConversation is every message behind the system prompt, whole.
func writeConversation(w screen, v session.Preview) {
	messages := v.Request.Messages
	if len(messages) > 0 && messages[0].Role == "system" {
		messages = messages[1:]
	}
	if len(messages) == 0 {
		return
	}
	var all strings.Builder
	for _, m := range messages {
		all.WriteString(messageText(m))
	}
	w.say("\nMESSAGES  %d, %s\n", len(messages), size(v, all.String()))
	for _, m := range messages {
		w.say("\n%s", m.Role)
		if m.CallID != "" {
			w.say("  %s", title(m.CallID, 100))
		}
		w.say("  %s\n", size(v, messageText(m)))
		writeIndented(w, m.Text)
		for _, i := range m.Images {
			w.say("    [image %s, %d bytes]\n", title(i.MIME, 60), len(i.Data))
		}
		for _, c := range m.Calls {
			writeIndented(w, fmt.Sprintf("→ %s  %s %s", c.ID, c.Name, c.Arguments))
		}
	}
}

func messageText(m model.Message) string {
	text := m.Text
	for _, c := range m.Calls {
		text += c.Name + c.Arguments
	}
	return text
}

func size(v session.Preview, text string) string {
	return fmt.Sprintf("%d bytes, about %d tokens", len(text), v.Tokens(text))
}

// parameters are those that are sent, each by its own name.
func parameters(p model.Params) string {
	var set []string
	if p.Temperature != nil {
		set = append(set, fmt.Sprintf("temperature %v", *p.Temperature))
	}
	if p.TopP != nil {
		set = append(set, fmt.Sprintf("topP %v", *p.TopP))
	}
	if p.MaxTokens != nil {
		set = append(set, fmt.Sprintf("maxTokens %d", *p.MaxTokens))
	}
	if p.Effort != "" {
		set = append(set, "reasoningEffort "+p.Effort)
	}
	if set == nil {
		return "none are sent, so the provider's defaults apply"
	}
	return strings.Join(set, ", ")
}

func writeIndented(w screen, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(string(lines(text))) {
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			w.say("\n")
		} else {
			w.say("    %s\n", line)
		}
	}
}
