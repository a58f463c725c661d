package bundle

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Conversation writes the session as a conversation file (testclient/README.md):
// what a client would have sent and seen, as far as the log can say it, and the
// model that answers the same again. Nothing is run. What stands only on the wire
// (deltas, run states, progress) is in no log; the file hides it.
func (b *Bundle) Conversation(w io.Writer) error {
	c := &conversation{b: b, names: newNames(b.Session), transcript: history.NewTranscript(), queued: map[string]bool{}}
	c.hello(true)
	b.Events(func(o history.Origin, e history.Event) {
		if c.err == nil {
			c.err = c.event(o, e)
		}
	})
	if c.err != nil {
		return c.err
	}
	c.ask("shutdown", nil, "null")
	c.line("--> exit {}")
	c.line("<-- exit 0")
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Session %s", c.shown(b.Session))
	if b.Title != "" {
		fmt.Fprintf(out, ", %q", c.shown(b.Title))
	}
	out.WriteString(", from its log. Deltas, run states and progress are in no log.\n")
	out.WriteString("What the tools found was in a workspace that is not here: add the files as workspace/….\n")
	for _, l := range b.LeftOut {
		fmt.Fprintf(out, "Left out: %s %s: %s.\n", c.shown(l.Kind), c.shown(l.Name), c.shown(l.Reason))
	}
	out.WriteString(b.connection())
	out.WriteString("-- model --\n")
	out.WriteString(b.script(c.names))
	out.WriteString("-- conversation --\n")
	for _, l := range c.lines {
		out.WriteString(l + "\n")
	}
	return out.Flush()
}

// conversation is one being written.
type conversation struct {
	b     *Bundle
	names *names
	lines []string
	id    int
	err   error

	transcript *history.Transcript
	made       bool            // a request has made the session
	queued     map[string]bool // runs whose prompt waited first
	restarted  bool            // what follows was written by the next process
}

func (c *conversation) shown(s string) string { return control.Title(c.names.text(s), 200) }

func (c *conversation) line(s string) { c.lines = append(c.lines, s) }

// request writes a request and gives its number.
func (c *conversation) request(method string, params any) int {
	c.id++
	text := ""
	if params != nil {
		raw, err := history.Marshal(params)
		if err == nil {
			raw, err = eachString(raw, c.names.input)
		}
		n, bad := parseNode(raw)
		if err != nil || bad != nil {
			c.err = fmt.Errorf("write %s: %v %v", method, err, bad)
			return c.id
		}
		text = " " + n.String()
	}
	c.line(fmt.Sprintf("--> %s #%d%s", method, c.id, text))
	return c.id
}

// answer writes what a request was answered; {…} fits anything.
func (c *conversation) answer(id int, result string) {
	c.line(fmt.Sprintf("<-- #%d result %s", id, result))
}

func (c *conversation) ask(method string, params any, result string) {
	c.answer(c.request(method, params), result)
}

const anything = "{…}"

// hello is the handshake of a client that sees events and answers questions.
func (c *conversation) hello(first bool) {
	type object = map[string]any
	answers := `,"approvals":{}`
	if c.b.nobodyAnswered() {
		answers = ""
	}
	c.ask("initialize", json.RawMessage(`{"processId":null,"rootUri":"file://`+wordVault+`","capabilities":{"experimental":{"agentSidecar":{"versions":[1],"events":{}`+answers+`}}},"initializationOptions":{"agentSidecar":{"trusted":true}}}`), anything)
	c.line("--> initialized {}")
	if first {
		c.line("--- hide run.state message.delta reasoning.delta tool.input tool.output usage notice")
		return
	}
	c.ask("agent/session/resume", object{"sessionId": firstSession}, anything)
}

// nobodyAnswered says that something was refused because nobody could be asked.
func (b *Bundle) nobodyAnswered() bool {
	return slices.ContainsFunc(b.Root().Lines, func(l Line) bool {
		d, ok := l.Body.(history.ToolDecided)
		return ok && d.By == "nobody"
	})
}

// event writes what a client did to cause an event, and the event.
func (c *conversation) event(o history.Origin, e history.Event) error {
	root := len(o.AgentPath) == 0
	if root {
		if err := c.transcript.Apply(e); err != nil {
			return err
		}
		if byRestart(e.Body) && !c.restarted {
			c.restarted = true
			c.line("--- restart")
			c.hello(false)
			c.line("# Written by the process that came next, before anybody listened:")
		}
	}
	after := -1
	if root && !c.restarted {
		after = c.cause(e)
	}
	if _, started := e.Body.(history.RunStarted); started && root && c.restarted {
		c.restarted = false
		after = c.cause(e)
	}
	wire, err := e.Wire(o)
	if err != nil {
		return err
	}
	raw, err := history.Marshal(wire)
	if err != nil {
		return err
	}
	n, err := parseNode(raw)
	if err != nil {
		return err
	}
	arrow := "<-- agent/event "
	if c.restarted {
		arrow = "# "
	}
	c.line(arrow + c.names.node(n).String())
	if after > 0 {
		c.answer(after, `{"status": "applied"}`)
	}
	return c.err
}

// byRestart says that an event was written when a process found what another one
// had left open.
func byRestart(body history.Body) bool {
	switch b := body.(type) {
	case history.ApprovalResolved:
		return b.By == "restart"
	case history.SubagentEnded:
		return b.Status == "interrupted"
	case history.ToolReturned:
		return b.Status == "interrupted"
	case history.RunEnded:
		return b.StopReason == "interrupted"
	}
	return false
}

// cause writes the request behind an event of the root. Where its answer comes
// behind the event, its number is given.
func (c *conversation) cause(e history.Event) (answerLater int) {
	type object = map[string]any
	run := c.names.member("runId", e.Run)
	switch b := e.Body.(type) {
	case history.Opened:
		_, place, _ := strings.Cut(b.Key, "/agent:")
		usual := b.Agent + "/session:" + c.b.Session
		if b.Title == "" && b.Agent == "build" && b.Model == "" && place == usual && c.firstIsPrompt() {
			// The first prompt makes the session, and its answer comes first.
			c.made = true
			c.prompt(c.b.Root().Lines[1].Event)
			return -1
		}
		params := object{}
		set(params, "title", b.Title)
		set(params, "model", b.Model)
		if b.Agent != "build" {
			params["agent"] = b.Agent
		}
		if place != usual && !strings.Contains(place, "/session:") {
			params["sessionKey"] = b.Key
		}
		c.ask("agent/session/new", params, anything)
	case history.RunStarted:
		switch {
		case c.queued[e.Run], c.made && e.Seq == 2, b.Kind == "memory":
		case b.Kind == "compaction":
			params := object{"sessionId": firstSession}
			set(params, "focus", history.TextOf(b.Prompt))
			c.ask("agent/session/compact", params, fmt.Sprintf(`{"runId": %s}`, quoted(run)))
		case b.Kind == "continuation":
			c.ask("agent/session/resume", object{"sessionId": firstSession, "continuePendingWork": true}, anything)
		default:
			c.prompt(e)
		}
	case history.RunQueued:
		if c.queued[e.Run] { // other words for a prompt that waits
			params := c.promptParams(b.Prompt, "")
			params["sessionId"], params["op"], params["itemId"] = firstSession, "update", c.names.member("itemId", b.ItemID)
			c.ask("agent/queue", params, anything)
			break
		}
		c.queued[e.Run] = true
		params := c.promptParams(b.Prompt, b.ClientMessageID)
		params["sessionId"], params["delivery"] = firstSession, "queue"
		c.ask("agent/run", params, fmt.Sprintf(`{"sessionId": "%s", "runId": %s, "disposition": "queued", "queuePosition": %d, "seq": %d}`, firstSession, quoted(run), len(c.transcript.Queue), e.Seq))
	case history.UserMessage:
		if b.Steering && !b.Synthetic {
			params := c.promptParams(b.Content, b.ClientMessageID)
			params["sessionId"], params["delivery"] = firstSession, "steer"
			c.ask("agent/run", params, fmt.Sprintf(`{"sessionId": "%s", "runId": %s, "disposition": "steered", "seq": %d}`, firstSession, quoted(run), e.Seq))
		}
	case history.ApprovalResolved:
		switch b.By {
		case "client", "code_action", "message_request", "code_lens":
			params := object{"approvalId": c.names.member("approvalId", b.ApprovalID), "decision": b.Decision}
			set(params, "feedback", b.Feedback)
			return c.request("agent/approve", params)
		}
	case history.Changed:
		params := object{}
		raw, err := history.Marshal(b)
		if err != nil || json.Unmarshal(raw, &params) != nil {
			return -1
		}
		for _, own := range []string{"syncState", "compactionCount", "autoCompact", "tainted", "closed"} {
			delete(params, own)
		}
		if len(params) > 0 {
			params["sessionId"] = firstSession
			if params["mode"] == "full_access" {
				params["confirm"] = true
			}
			c.ask("agent/session/update", params, anything)
		}
	case history.RunEnded:
		if b.StopReason == "cancelled" && b.Message == "" {
			c.ask("agent/cancel", object{"sessionId": firstSession, "runId": run}, anything)
		}
	}
	return -1
}

// firstIsPrompt says that the session began with a prompt.
func (c *conversation) firstIsPrompt() bool {
	lines := c.b.Root().Lines
	if len(lines) < 2 {
		return false
	}
	b, ok := lines[1].Body.(history.RunStarted)
	return ok && b.Kind == "prompt"
}

// prompt writes the agent/run behind a run.started.
func (c *conversation) prompt(e history.Event) {
	b, ok := e.Body.(history.RunStarted)
	if !ok {
		return
	}
	params := c.promptParams(b.Prompt, b.ClientMessageID)
	if e.Seq > 2 || !c.made {
		params["sessionId"] = firstSession
	}
	if b.Agent != c.transcript.Info.Agent {
		params["agent"] = b.Agent
	}
	if b.Limits != nil {
		params["limits"] = b.Limits
	}
	set(params, "system", b.System)
	c.ask("agent/run", params, fmt.Sprintf(`{"sessionId": "%s", "runId": %s, "disposition": "started", "seq": %d}`, firstSession, quoted(c.names.member("runId", e.Run)), e.Seq))
}

// promptParams are the members that say a prompt: a text where it is one.
func (c *conversation) promptParams(blocks []history.Block, message string) map[string]any {
	whole := make([]history.Block, len(blocks))
	for i, block := range blocks {
		if text := c.b.blob(block.ArtifactID); block.Type == "artifact" && text != "" {
			block = history.Block{Type: "text", Text: text, Ignored: block.Ignored}
		}
		if data := c.b.blob(block.URI); block.Type == "image" && data != "" {
			block = history.Block{Type: "image", Data: base64.StdEncoding.EncodeToString([]byte(data)), MIMEType: block.MIMEType, Ignored: block.Ignored, Anyway: block.Anyway}
		}
		whole[i] = block
	}
	params := map[string]any{"prompt": whole}
	if len(whole) == 1 && whole[0].Type == "text" {
		params["prompt"] = whole[0].Text
	}
	set(params, "clientMessageId", message)
	return params
}

func set(params map[string]any, name, value string) {
	if value != "" {
		params[name] = value
	}
}
