package testclient

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/testclient/acpschema"
)

// acpWire holds one connection over the Agent Client Protocol against its schema and the
// rules that can be seen on it: every request is answered exactly once, nothing is used
// that the client has not declared, and what a prompt causes comes before its answer.
type acpWire struct {
	records []Record
	cut     bool // the client killed the server: open requests need no answer
	schema  *acpschema.Conversation

	at       int
	problems []string

	asked    map[string][]request // open and answered requests of ours, by raw id
	rest     []byte               // of raw bytes, behind their last line feed
	anyRaw   bool
	greeted  bool // initialize was answered
	can      *node
	sessions map[string]*acpSession
	theirs   map[string]bool // ids of the server's requests
}

// acpSession is what is known of one session on this connection.
type acpSession struct {
	introduced bool
	prompts    int             // open requests that may show messages and calls
	calls      map[string]bool // toolCallId of each tool_call
}

func newACPWire(schema *acpschema.Schema, records []Record, cut bool) *acpWire {
	return &acpWire{
		records: records, cut: cut, schema: schema.Begin(), asked: map[string][]request{},
		sessions: map[string]*acpSession{}, theirs: map[string]bool{},
	}
}

func (w *acpWire) bad(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf("message %d: ", w.at)+fmt.Sprintf(format, args...))
}

func (w *acpWire) check() []string {
	for i, rec := range w.records {
		w.at = i + 1
		switch {
		case rec.Sent && rec.Frame == nil:
			w.sentRaw(rec.Raw)
		case rec.Sent:
			w.sent(rec.Frame, true)
		case rec.Frame != nil:
			w.received(rec.Frame)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.asked)) {
		for _, r := range w.asked[id] {
			if !r.answered && !r.optional && !w.cut {
				w.problems = append(w.problems, fmt.Sprintf("request #%s (%s) was never answered", id, r.method))
			}
		}
	}
	return w.problems
}

// sentRaw takes the lines out of raw bytes. Nobody has to answer these.
func (w *acpWire) sentRaw(raw []byte) {
	w.anyRaw = true
	w.rest = append(w.rest, raw...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return
		}
		w.rest = rest
		w.sent(line, false)
	}
}

// greeting is the request before which nothing is said.
const greeting = "initialize"

// opens are the requests in whose course messages and calls are shown.
var opens = []string{"session/prompt", "session/load", "session/set_mode", "session/set_config_option"}

// knows are the requests of a client that knows the session already.
var knows = []string{"session/load", "session/resume"}

func (w *acpWire) sent(line []byte, mustAnswer bool) {
	m, err := parseMessage(line)
	if err != nil || m.Method == "" || m.ID == nil {
		return
	}
	w.schema.Sent(line)
	params, _ := parseNode(m.Params) // nil when absent
	if !legalID(m.ID) {
		w.anyRaw = true
		return
	}
	w.asked[string(m.ID)] = append(w.asked[string(m.ID)], request{at: w.at, method: m.Method, params: params, optional: !mustAnswer})
	s := w.session(params.str("sessionId"))
	if slices.Contains(opens, m.Method) {
		s.prompts++
	}
	if slices.Contains(knows, m.Method) {
		s.introduced = true
	}
}

func (w *acpWire) session(id string) *acpSession {
	s := w.sessions[id]
	if s == nil {
		s = &acpSession{calls: map[string]bool{}}
		w.sessions[id] = s
	}
	return s
}

func (w *acpWire) received(line []byte) {
	if err := w.schema.Received(line); err != nil {
		w.bad("not what the protocol says: %v", err)
	}
	m, err := parseMessage(line)
	if err != nil {
		return
	}
	if m.Method == "" {
		w.response(m)
		return
	}
	if !w.greeted {
		w.bad("%s came before the answer to initialize", m.Method)
	}
	if m.ID != nil {
		if w.theirs[string(m.ID)] {
			w.bad("the server used id %s twice", m.ID)
		}
		w.theirs[string(m.ID)] = true
	}
	params, _ := parseNode(m.Params)
	w.declared(m.Method, params)
	w.shown(m.Method, params)
}

func (w *acpWire) response(m Message) {
	id := string(m.ID)
	if id == "null" {
		if !w.anyRaw {
			w.bad("a response has id null, and everything that was sent had a legal one")
		}
		return
	}
	i := slices.IndexFunc(w.asked[id], func(r request) bool { return !r.answered })
	if i < 0 {
		w.bad("response to %s, which is not waiting for one", id)
		return
	}
	r := &w.asked[id][i]
	r.answered = true
	if slices.Contains(opens, r.method) {
		w.session(r.params.str("sessionId")).prompts--
	}
	result, _ := parseNode(m.Result)
	if made := result.str("sessionId"); made != "" {
		w.session(made).introduced = true
	}
	if r.method == greeting && m.Error == nil {
		w.greeted, w.can = true, r.params.get("clientCapabilities")
	}
}

// capabilities say what of the client a method or an update needs, and which never comes.
var capabilities = map[string][]string{
	"fs/read_text_file":        {"fs", "readTextFile"},
	"fs/write_text_file":       {"fs", "writeTextFile"},
	"elicitation/create":       {"elicitation"},
	"notice":                   {"session", "notices"},
	"compaction_update":        {"session", "compaction"},
	"compaction_summary_chunk": {"session", "compaction"},
}

// declared holds that the client has what it is asked for. Commands are never run in its
// terminals, where neither rules nor the sandbox see them.
func (w *acpWire) declared(method string, params *node) {
	if strings.HasPrefix(method, "terminal/") {
		w.bad("%s: the terminals of a client are not used", method)
	}
	for _, name := range []string{method, params.str("update", "sessionUpdate")} {
		path := capabilities[name]
		if path == nil {
			continue
		}
		if has := w.can.get(path...); has == nil || has.kind != '{' && has.text != "true" {
			w.bad("%s was sent to a client without %s", name, strings.Join(path, "."))
		}
	}
}

// newCall is the update that shows a call first.
const newCall = "tool_call"

// course are the updates that come only while a prompt or a load is open.
var course = []string{"user_message_chunk", "agent_message_chunk", newCall, "tool_call_update"}

// shown holds the order of what is shown of a session.
func (w *acpWire) shown(method string, params *node) {
	s := w.session(params.str("sessionId"))
	if params.get("sessionId") != nil && !strings.HasPrefix(method, "_") && !s.introduced {
		w.bad("%s of a session that no response has introduced", method)
	}
	kind := params.str("update", "sessionUpdate")
	if slices.Contains(course, kind) && s.prompts == 0 {
		w.bad("%s while no prompt is open", kind)
	}
	if kind == newCall {
		s.calls[params.str("update", "toolCallId")] = true
	}
	about := params.str("update", "toolCallId") // of a tool_call itself, or of an update
	if asked := params.str("toolCall", "toolCallId"); asked != "" {
		about = asked
	}
	if about != "" && !s.calls[about] {
		w.bad("%s about call %s, which no tool_call has shown", method, about)
	}
}
