package testclient

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/testclient/scriptmodel"
)

// summaryPrefix starts the summary of a compaction; it is shown even where the
// system prompt is not.
const summaryPrefix = "【会话摘要】"

// maxShown bounds a message's text in the section requests, in bytes.
const maxShown = 4000

// view is what the section requests shows of one request.
type view struct {
	params   string
	tools    string
	messages []string
}

// requestLines is the section requests: each request as a difference from the
// request before it of the same conversation (the same system prompt and first
// user message).
func (p *player) requestLines() []string {
	var out []string
	before := map[string]view{}
	for i, r := range p.model.Requests() {
		head := fmt.Sprintf("request %d for %s", i+1, r.For)
		if r.Status != 200 {
			head += fmt.Sprintf(" answered %d", r.Status)
		}
		req, _, err := scriptmodel.ReadRequest(r.Body)
		if err != nil {
			out = append(out, head+" is not a chat request")
			continue
		}
		if req.API != "" {
			head += " through " + req.API
		}
		thread := req.System() + "\x00" + req.FirstUser()
		was, known := before[thread]
		if !known && len(req.Messages) > 0 {
			// After a compaction the first message is another one; the section is the same.
			was = before["for "+r.For]
		}
		now := p.view(req, r.Body)
		before[thread], before["for "+r.For] = now, now
		out = append(out, head)
		out = append(out, now.difference(was)...)
	}
	return out
}

func (p *player) view(req *scriptmodel.ChatRequest, body []byte) view {
	full := strings.HasPrefix(p.c.Name, "prompt_")
	v := view{params: p.names.text(paramsOf(body))}
	for i, m := range req.Messages {
		v.messages = append(v.messages, p.messageText(m, !full && i == 0))
	}
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Function.Name)
		if full {
			v.tools += "\n    " + t.Function.Name + ": " + p.names.text(indent(t.Function.Description)) + "\n    " + p.names.text(string(t.Function.Parameters))
		}
	}
	v.tools = p.toolNames(names) + v.tools
	if told := req.Told(); len(told) > 0 {
		v.tools = "in words, " + p.toolNames(told)
	}
	return v
}

// toolNames tells tools by how they differ from the usual ones, so that a new tool
// is no change of every conversation.
func (p *player) toolNames(names []string) string {
	var but, and []string
	kept := slices.Clone(p.o.Usual)
	for _, name := range p.o.Usual {
		if !slices.Contains(names, name) {
			but = append(but, name)
		}
	}
	kept = slices.DeleteFunc(kept, func(name string) bool { return slices.Contains(but, name) })
	for _, name := range names {
		if !slices.Contains(p.o.Usual, name) {
			and = append(and, name)
		}
	}
	if len(but) > len(kept) || len(p.o.Usual) == 0 || !slices.Equal(names, append(kept, and...)) {
		return strings.Join(names, " ")
	}
	text := "the usual"
	if len(but) > 0 {
		text += " but " + strings.Join(but, " ")
	}
	if len(and) > 0 {
		text += " and " + strings.Join(and, " ")
	}
	return text
}

// paramsOf is everything of a request that is not its messages and tools.
func paramsOf(body []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return ""
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		switch key {
		case "messages", "system", "instructions", "input", "tools", "stream", "stream_options":
			continue
		}
		parts = append(parts, key+"="+string(all[key]))
	}
	return strings.Join(parts, " ")
}

func (p *player) messageText(m scriptmodel.ChatMessage, brief bool) string {
	text := p.names.text(m.Text())
	if brief && (m.Role == "system" || m.Role == "developer") {
		_, summary, found := strings.Cut(text, summaryPrefix)
		text = "…"
		if found {
			text += "\n" + summaryPrefix + summary
		}
	}
	if len(text) > maxShown {
		text = fmt.Sprintf("%s\n…%d bytes…\n%s", strings.ToValidUTF8(text[:maxShown/2], ""), len(text)-maxShown, strings.ToValidUTF8(text[len(text)-maxShown/2:], ""))
	}
	role := m.Role
	if m.CallID != "" {
		role += " " + p.names.text(m.CallID)
	}
	line := role + ": " + indent(text)
	if state := m.State(); state != "{}" {
		line += "\n    state " + p.names.text(state)
	}
	for _, c := range m.ToolCalls {
		line += "\n    call " + p.names.text(c.ID) + " " + c.Function.Name + " " + indent(p.names.text(c.Function.Arguments))
		if len(c.Extra) > 0 {
			line += " " + p.names.text(string(c.Extra))
		}
	}
	return line
}

// indent makes a text of several lines one entry.
func indent(text string) string {
	return strings.NewReplacer("\n", "\n    ", "\r", "␍").Replace(text)
}

// difference writes `= n` for messages that are as before, `~` for one that
// changed in its place, `+` for a new one and `-` for how many fell away.
func (v view) difference(was view) []string {
	var out []string
	add := func(mark, text string) {
		lines := strings.Split(text, "\n")
		out = append(out, mark+" "+lines[0])
		for _, more := range lines[1:] {
			out = append(out, strings.TrimRight(more, " "))
		}
	}
	if v.params != was.params {
		add("+", v.params)
	}
	if v.tools != was.tools {
		add("+", "tools: "+v.tools)
	}
	same := 0
	flush := func() {
		if same > 0 {
			out = append(out, fmt.Sprintf("= %d", same))
		}
		same = 0
	}
	for i, m := range v.messages {
		switch {
		case i >= len(was.messages):
			flush()
			add("+", m)
		case was.messages[i] == m:
			same++
		default:
			flush()
			add("~", m)
		}
	}
	flush()
	if n := len(was.messages) - len(v.messages); n > 0 {
		out = append(out, fmt.Sprintf("- %d", n))
	}
	return dropBlank(out)
}

// dropBlank marks empty lines, which a section cannot hold: they are the
// author's.
func dropBlank(lines []string) []string {
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines[i] = "    ¶"
		}
	}
	return lines
}
