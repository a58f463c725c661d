package bundle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// script is what the model said, as the scripted model reads it: each answer a
// turn, those of sub-agents and summaries in sections of their own.
func (b *Bundle) script(n *names) string {
	var order []string
	sections := map[string][]string{}
	say := func(whom, turn string) {
		if sections[whom] == nil {
			order = append(order, whom)
		}
		sections[whom] = append(sections[whom], turn)
	}
	b.Events(func(o history.Origin, e history.Event) {
		whom := "main"
		if len(o.AgentPath) > 0 {
			whom, _, _ = strings.Cut(o.AgentPath[0], "#")
		}
		switch m := e.Body.(type) {
		case history.AssistantMessage:
			say(whom, b.turn(m, n))
		case history.ContextCompacted:
			if m.OK && whom == "main" {
				say("compaction", "say "+spoken(summarised(m.Summary), n)+"\n")
			}
		}
	})
	var out strings.Builder
	for _, whom := range order {
		if whom != "main" || len(order) > 0 && order[0] != "main" {
			out.WriteString("--- for " + control.Title(whom, 60) + "\n")
		}
		out.WriteString(strings.Join(sections[whom], "---\n"))
	}
	return out.String()
}

// summarised is a summary without the two lines that the program puts before it:
// playing it puts them there again. What it adds behind it is not told apart.
func summarised(s string) string {
	if head, rest, ok := strings.Cut(s, "]\n\n"); ok && strings.Contains(head, "[conversation compacted; transcript: ") {
		return rest
	}
	return s
}

// turn is one answer.
func (b *Bundle) turn(m history.AssistantMessage, n *names) string {
	var out strings.Builder
	if m.Reasoning != "" {
		out.WriteString("think " + spoken(m.Reasoning, n) + "\n")
	}
	if m.Text != "" || len(m.Calls) == 0 {
		out.WriteString("say " + spoken(m.Text, n) + "\n")
	}
	for _, c := range m.Calls {
		input := string(c.Input)
		if blob, ok := history.StashedBlob(c.Input); ok && b.blob(blob) != "" {
			input = b.blob(blob)
		}
		if c.Raw != "" {
			fmt.Fprintf(&out, "callraw %s %s %s\n", n.call(c.CallID), oneWord(c.Tool), spoken(c.Raw, n))
			continue
		}
		raw, err := eachString([]byte(input), n.input)
		v, bad := parseNode(raw)
		if err != nil || bad != nil {
			fmt.Fprintf(&out, "callraw %s %s %s\n", n.call(c.CallID), oneWord(c.Tool), spoken(input, n))
			continue
		}
		fmt.Fprintf(&out, "call %s %s %s\n", n.call(c.CallID), oneWord(c.Tool), v)
	}
	if m.Usage == nil {
		out.WriteString("usage none\n")
	} else {
		fmt.Fprintf(&out, "usage %d %d\n", m.Usage.InputTokens, m.Usage.OutputTokens)
	}
	usual := "stop"
	if len(m.Calls) > 0 {
		usual = "tool_calls"
	}
	if m.FinishReason != "" && m.FinishReason != usual {
		out.WriteString("finish " + oneWord(m.FinishReason) + "\n")
	}
	return out.String()
}

// spoken is a text of a verb: as it is, or as a Go string where it would not be
// read back the same.
func spoken(s string, n *names) string {
	s = n.input(s)
	if s != strings.TrimSpace(s) || s == "" || strings.ContainsAny(s[:1], "\"`") || control.Title(s, 0) != s {
		return strconv.QuoteToGraphic(strings.ToValidUTF8(s, "\uFFFD"))
	}
	return s
}

// oneWord keeps a name from being more than one.
func oneWord(s string) string {
	if s = strings.Join(strings.Fields(control.Title(s, 100)), "_"); s != "" {
		return s
	}
	return "_"
}

// connection is the part of the file that gives the scripted model the name of the
// model that answered; nothing where it is the player's own.
func (b *Bundle) connection() string {
	for _, l := range b.Root().Lines {
		started, ok := l.Body.(history.RunStarted)
		if !ok || started.Model == "" {
			continue
		}
		provider, name, _ := strings.Cut(started.Model, "/")
		switch {
		case started.Model == "openai/scripted" || name == "":
			return ""
		case provider == "openai":
			return "-- env --\nOPENAI_MODEL=" + oneWord(name) + "\n"
		}
		return fmt.Sprintf("-- config --\n{\"model\": %s, \"providers\": {%s: {\"baseUrl\": \"$MODEL\", \"apiKeys\": [\"scripted\"]}}}\n", quoted(started.Model), quoted(provider))
	}
	return ""
}
