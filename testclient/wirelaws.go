package testclient

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// wire holds one connection against the rules that can be seen on it: every
// request answered exactly once, the lifecycle, and O1 to O7.
type wire struct {
	records []Record
	logs    []eventLog
	cut     bool // the client killed the server or left: open requests need no answer

	at       int
	problems []string

	asked      map[string][]request // open and answered requests of ours, by raw id
	anyRaw     bool                 // raw bytes or an illegal id was sent: answers to unknown ids are possible
	resumed    map[string]bool      // sessions resumed on this connection
	introduced map[string]bool      // sessions that one has
	marker     bool
	optOut     bool
	replies    bool // initialize was answered
	ready      bool // initialized was sent
	serverIDs  map[string]*serverAsk

	sessions map[string]*sessionOnWire
	tokens   map[string]*token
	runs     map[string]*runOnWire
	anyEvent bool
}

type request struct {
	at       int
	method   string
	params   *node
	answered bool
	optional bool // it was in raw bytes, and need not be answered
}

type serverAsk struct {
	method string
	token  string
}

// sessionOnWire is what is known of one session on this connection.
type sessionOnWire struct {
	seq    int64
	gap    bool
	forked bool // its last event was the first line of a fork
	calls  *callOrder
	text   map[string]string // messageId -> joined deltas
	subs   map[string]int64  // agentPath -> its last subSeq
}

// runOnWire is what is known of one run on this connection.
type runOnWire struct {
	known   bool   // a response has introduced it
	ended   bool   // its run.ended was seen
	first   int    // where it was mentioned first, 0 if nowhere
	session string // in which that was
}

type token struct {
	allowed bool
	over    bool // the request whose workDoneToken it was is answered
	state   string
	run     string
}

func newWire(records []Record) *wire {
	return &wire{
		records: records, asked: map[string][]request{}, resumed: map[string]bool{}, introduced: map[string]bool{}, serverIDs: map[string]*serverAsk{},
		sessions: map[string]*sessionOnWire{}, tokens: map[string]*token{}, runs: map[string]*runOnWire{},
	}
}

func (w *wire) bad(format string, args ...any) {
	w.problems = append(w.problems, fmt.Sprintf("message %d: ", w.at)+fmt.Sprintf(format, args...))
}

func (w *wire) check() []string {
	for i, rec := range w.records {
		w.at = i + 1
		if rec.Frame == nil {
			w.anyRaw = w.anyRaw || rec.Sent
			continue
		}
		m, err := parseMessage(rec.Frame)
		switch {
		case err != nil: // ours; of the server's the client takes only messages
		case rec.Sent:
			w.sent(m)
		default:
			w.received(m)
		}
	}
	w.at = len(w.records) + 1
	w.end()
	return w.problems
}

func (w *wire) sent(m Message) {
	params, _ := parseNode(m.Params) // nil when absent
	if m.Method == "" {
		w.answeredServer(m)
		return
	}
	switch {
	case m.ID == nil:
	case !legalID(m.ID):
		w.anyRaw = true
	default:
		w.asked[string(m.ID)] = append(w.asked[string(m.ID)], request{at: w.at, method: m.Method, params: params})
		if t := params.get("workDoneToken"); t != nil {
			w.tokens[t.String()] = &token{allowed: true}
		}
	}
	switch m.Method {
	case "initialize":
		mark := params.get("capabilities", "experimental", "agentSidecar")
		w.marker = mark != nil && mark.kind == '{'
		w.optOut = mark.get("events", "optOut") != nil
	case "initialized":
		w.ready = true
	case "agent/session/resume":
		w.resumed[params.str("sessionId")] = true
	}
}

// legalID is true for a string or an integer; anything else is answered with
// null.
func legalID(id json.RawMessage) bool {
	return id[0] == '"' || strings.Trim(string(id), "-0123456789") == ""
}

// answeredServer opens a progress token once its create was answered well (O6).
func (w *wire) answeredServer(m Message) {
	ask := w.serverIDs[string(m.ID)]
	if ask == nil || ask.method != "window/workDoneProgress/create" || m.Error != nil {
		return
	}
	if t := w.tokens[ask.token]; t != nil {
		t.allowed = true
	}
}

func (w *wire) received(m Message) {
	if m.Method == "" {
		w.response(m)
		return
	}
	if w.replies && !w.ready {
		w.bad("%s came between the initialize response and initialized", m.Method)
	}
	if strings.HasPrefix(m.Method, "agent/") && !w.marker {
		w.bad("%s was sent to a client without the marker", m.Method)
	}
	params, _ := parseNode(m.Params)
	if m.ID != nil {
		w.serverRequest(m, params)
		return
	}
	switch m.Method {
	case "agent/event":
		w.event(m.Params)
	case "$/progress":
		w.progress(params)
	}
}

func (w *wire) serverRequest(m Message, params *node) {
	id := string(m.ID)
	if id == "0" {
		w.bad("a request of the server has id 0")
	}
	if w.serverIDs[id] != nil {
		w.bad("the server used id %s twice", id)
	}
	ask := &serverAsk{method: m.Method}
	w.serverIDs[id] = ask
	if m.Method != "window/workDoneProgress/create" {
		return
	}
	ask.token = params.get("token").orEmpty()
	if w.tokens[ask.token] != nil {
		w.bad("O6: token %s is created twice", ask.token)
	}
	w.tokens[ask.token] = &token{}
}

func (w *wire) response(m Message) {
	if (m.Result == nil) == (m.Error == nil) {
		w.bad("a response carries result xor error")
	}
	id := string(m.ID)
	if id == "null" {
		if !w.anyRaw {
			w.bad("a response has id null, and everything that was sent had a legal one")
		}
		return
	}
	i := slices.IndexFunc(w.asked[id], func(r request) bool { return !r.answered })
	if i < 0 {
		if len(w.asked[id]) > 0 || !w.anyRaw {
			w.bad("response to %s, which is not waiting for one", id)
		}
		return
	}
	r := &w.asked[id][i]
	r.answered = true
	w.closeToken(*r)
	if m.Error != nil {
		w.errorShape(m.Error)
		return
	}
	result, _ := parseNode(m.Result)
	switch r.method {
	case "initialize":
		w.replies = true
	case "agent/run":
		w.runResponse(*r, result)
	case "agent/session/new", "agent/session/fork":
		id := result.str("session", "id")
		if s := w.sessions[id]; id != "" && s != nil && !w.introduced[id] { // a key may lead to one that is known
			w.bad("O2: session %s was mentioned before the response that introduces it", id)
		}
		w.introduced[id] = true
	}
}

func (w *wire) errorShape(raw json.RawMessage) {
	var e struct {
		Code    *int
		Message *string
	}
	if json.Unmarshal(raw, &e) != nil || e.Code == nil || e.Message == nil {
		w.bad("an error has a code and a message: %s", raw)
	}
}

// closeToken checks that a request's own token is used only until its response
// (O3).
func (w *wire) closeToken(r request) {
	t := r.params.get("workDoneToken")
	if t == nil || w.tokens[t.String()] == nil {
		return
	}
	tok := w.tokens[t.String()]
	if tok.state == "begun" {
		w.bad("O3: the response to %s came before the end of its progress", r.method)
	}
	tok.over = true
}

// runOf is the run with an id, of which nothing may be known yet.
func (w *wire) runOf(id string) *runOnWire {
	run := w.runs[id]
	if run == nil {
		run = &runOnWire{}
		w.runs[id] = run
	}
	return run
}

// runResponse checks O2 of an ack and O3 of an awaited result. The same
// clientMessageId is answered with the same ack, which introduces nothing.
func (w *wire) runResponse(r request, result *node) {
	id := result.str("runId")
	run := w.runOf(id)
	w.introduced[result.str("sessionId")] = true
	if result.get("stopReason") != nil {
		if w.anyEvent && run.first > 0 && !run.ended {
			w.bad("O3: the awaited response of run %s came before its run.ended", id)
		}
		run.known = true
		return
	}
	how := result.str("disposition")
	if run.first > r.at && !run.known && (how == "started" || how == "queued") {
		w.bad("O2: run %s was mentioned in message %d, before the response that introduces it", id, run.first)
	}
	run.known = true
}

// progress checks O6 and that run.ended comes before the end (O3).
func (w *wire) progress(params *node) {
	name, kind := params.get("token").orEmpty(), params.str("value", "kind")
	t := w.tokens[name]
	if t == nil {
		t = &token{}
		w.tokens[name] = t
	}
	if run := params.str("value", "agent", "runId"); run != "" {
		t.run = run
	}
	if kind == "begin" && !t.allowed {
		w.bad("O6: begin of token %s, whose create was not answered", name)
	}
	switch {
	case t.over:
		w.bad("O6: %s of token %s after the response to its request", kind, name)
	case kind == "begin" && t.state != "":
		w.bad("O6: token %s begins again", name)
	case kind != "begin" && t.state != "begun":
		w.bad("O6: %s of token %s, which is not open", kind, name)
	case kind == "end" && t.run != "" && w.runOf(t.run).first > 0 && !w.runOf(t.run).ended && !t.child(params):
		w.bad("O3: progress of run %s ended before its run.ended", t.run)
	}
	switch kind {
	case "begin":
		t.state = "begun"
	case "end":
		t.state = "ended"
	}
}

// child is true for the progress of a sub-agent, which ends before the run.
func (t *token) child(params *node) bool {
	path := params.get("value", "agent", "agentPath")
	return path != nil && len(path.list) > 0
}

func (w *wire) end() {
	for _, id := range slices.Sorted(maps.Keys(w.asked)) {
		for _, r := range w.asked[id] {
			if !r.answered && !w.cut {
				w.problems = append(w.problems, fmt.Sprintf("request #%s (%s) was never answered", id, r.method))
			}
		}
	}
	if w.cut {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(w.tokens)) {
		if w.tokens[name].state == "begun" {
			w.problems = append(w.problems, fmt.Sprintf("O6: progress %s never ended", name))
		}
	}
}
