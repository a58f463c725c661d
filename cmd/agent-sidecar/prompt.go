package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/agent-sidecar/agent-sidecar/control"
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
	v, err := back.Sessions.Preview(p.session, session.Look{Agent: p.agent, Model: p.model, Prompt: text})
	_, wrong := errors.AsType[*session.InvalidError](err)
	if _, missing := errors.AsType[*session.NotFoundError](err); wrong || missing {
		return p.misused("prompt: %s", control.Title(err.Error(), 2000))
	}
	if err != nil {
		return p.fail("%s", control.Title(err.Error(), 2000))
	}
	p.warn(back.Config)
	var b bytes.Buffer
	if p.json {
		if b.Write(visibleJSON(model.Body(v.Request, v.Info))); !v.Trusted {
			fmt.Fprintln(p.err, "agent-sidecar: "+notTrusted)
		}
		return p.show(b.Bytes())
	}
	writePreview(&b, v)
	for _, server := range back.Config.Settings().Servers {
		fmt.Fprintf(&b, "    and those of the MCP server %s, once it runs\n", control.Title(server.Name, 100))
	}
	writeConversation(&b, v)
	return p.show(b.Bytes())
}

// notTrusted is why a project's words are missing.
const notTrusted = "this folder is not trusted: its AGENTS.md and its memory are left out; --trust-client shows them"

// writePreview is everything but the conversation. What is sent is indented: no text
// can look like a heading.
func writePreview(w io.Writer, v session.Preview) {
	name := control.Title(v.Model, 200)
	switch {
	case name == "":
		name = "none is configured"
	case v.NoModel != nil:
		name += " (" + control.Title(v.NoModel.Error(), 200) + ")"
	}
	fmt.Fprintf(w, "agent %s, model %s\n", control.Title(v.Agent.Name, 0), name)
	fmt.Fprintf(w, "parameters: %s\n", parameters(v.Request.Params))
	if !v.Trusted {
		fmt.Fprintln(w, notTrusted)
	}
	if v.Running {
		fmt.Fprintln(w, "a run of this session has not ended; this is what would follow if it ended now")
	}
	var whole strings.Builder
	for _, l := range v.Layers {
		whole.WriteString(l.Text)
	}
	fmt.Fprintf(w, "\nSYSTEM PROMPT  %s\n", size(v, whole.String()))
	for _, l := range v.Layers {
		fmt.Fprintf(w, "\n%s  %s  %s\n", l.Name, control.Title(l.Source, 300), size(v, l.Text))
		if l.Note != "" {
			fmt.Fprintf(w, "(%s)\n", control.Title(l.Note, 300))
		}
		writeIndented(w, l.Text)
	}
	for _, kind := range v.Hooks {
		fmt.Fprintf(w, "\n(hooks of %s would still change this; they are programs and were not started)\n", kind)
	}
	fmt.Fprintf(w, "\nREMINDERS  in the message of the user, with the next prompt: %d\n", len(v.Reminders))
	for _, text := range v.Reminders {
		writeIndented(w, text)
	}
	writeTools(w, v)
}

func writeTools(w io.Writer, v session.Preview) {
	all, longest := "", 0
	for _, one := range v.Request.Tools {
		all += toolText(one)
		longest = max(longest, len(control.Title(one.Name, 64)))
	}
	fmt.Fprintf(w, "\nTOOLS  %d, %s\n", len(v.Request.Tools), size(v, all))
	for _, one := range v.Request.Tools {
		fmt.Fprintf(w, "    %-*s  description %5d, schema %5d bytes, about %4d tokens\n", longest, control.Title(one.Name, 64), len(one.Description), len(one.Schema), v.Tokens(toolText(one)))
	}
}

func toolText(t model.Tool) string { return t.Name + t.Description + string(t.Schema) }

// writeConversation is every message behind the system prompt, whole.
func writeConversation(w io.Writer, v session.Preview) {
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
	fmt.Fprintf(w, "\nMESSAGES  %d, %s\n", len(messages), size(v, all.String()))
	for _, m := range messages {
		fmt.Fprintf(w, "\n%s", m.Role)
		if m.CallID != "" {
			fmt.Fprintf(w, "  %s", control.Title(m.CallID, 100))
		}
		fmt.Fprintf(w, "  %s\n", size(v, messageText(m)))
		writeIndented(w, m.Text)
		for _, i := range m.Images {
			fmt.Fprintf(w, "    [image %s, %d bytes]\n", control.Title(i.MIME, 60), len(i.Data))
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
	if set == nil {
		return "none are sent, so the provider's own hold"
	}
	return strings.Join(set, ", ")
}

func writeIndented(w io.Writer, text string) {
	if text == "" {
		return
	}
	for line := range strings.Lines(control.Lines(text)) {
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			fmt.Fprintln(w)
		} else {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
}

// visibleJSON indents a request and writes what cannot be seen as escapes, so that
// it says the same to a program and hides nothing from a person.
func visibleJSON(raw json.RawMessage) []byte {
	var indented, out bytes.Buffer
	if json.Indent(&indented, raw, "", "  ") != nil {
		indented.Reset()
		indented.Write(raw)
	}
	for _, r := range indented.String() {
		if r == '\n' || control.Title(string(r), 0) == string(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	out.WriteByte('\n')
	return out.Bytes()
}
