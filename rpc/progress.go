package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// Limits of progress (protocol §5).
const (
	askLimit      = 10 * time.Second       // for an editor to answer a request that changes nothing
	reportEvery   = 200 * time.Millisecond // at most five a second a token
	subAgentDelay = 500 * time.Millisecond // a sub-agent that ends before has no token
	mostTokens    = 4                      // of sub-agents, open at once
	maxReport     = 120                    // characters
)

// progressTable is the $/progress of this connection: one token a run, one a
// sub-agent that lives long enough. A begin follows only a create that was
// answered without error; every begin has one end, and no token is used twice
// (O6).
type progressTable struct {
	s *Server

	mu    sync.Mutex // guards everything below
	next  int
	lines map[string]*progressLine   // by session and agent path
	given map[string]json.RawMessage // the token of a request that awaits, by session
}

// progressLine is what the editor shows of one run or sub-agent.
type progressLine struct {
	token   json.RawMessage
	begun   bool
	ended   bool
	title   string
	started time.Time
	last    time.Time
	delay   *time.Timer

	info progressInfo
	busy string // what is done now
}

// progressInfo is the extra member `agent` of clients that know us (ruling 6).
type progressInfo struct {
	SessionID string         `json:"sessionId"`
	RunID     string         `json:"runId"`
	AgentPath []string       `json:"agentPath"`
	State     string         `json:"state"`
	Iteration int            `json:"iteration"`
	CallID    string         `json:"callId,omitempty"`
	Pending   int            `json:"pendingApprovals,omitempty"`
	Usage     *session.Usage `json:"usage,omitempty"`
	Stop      string         `json:"stopReason,omitempty"`
	calls     int
}

func newProgressTable(s *Server) *progressTable {
	return &progressTable{s: s, lines: map[string]*progressLine{}, given: map[string]json.RawMessage{}}
}

// use takes the token of a request that awaits its run (ruling 6).
func (t *progressTable) use(id string, token json.RawMessage) {
	if len(token) == 0 || string(token) == "null" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.given[id] = token
}

func lineKey(o session.Origin) string { return o.Session + "\x00" + strings.Join(o.AgentPath, "/") }

// event follows a run by its durable events.
func (t *progressTable) event(o session.Origin, e session.Event) {
	switch b := e.Body.(type) {
	case session.RunStarted:
		if len(o.AgentPath) == 0 {
			t.begin(o, e.Run, text.ProgressTitle.In(t.s.client.locale, control.Title(session.TextOf(b.Prompt), 60)), 0)
		} else {
			t.begin(o, e.Run, text.ProgressTitle.In(t.s.client.locale, control.Title(strings.Join(o.AgentPath, "/"), 60)), subAgentDelay)
		}
	case session.ToolDecided:
		t.update(o, func(l *progressLine) { l.info.calls++; l.info.CallID = b.CallID })
	case session.ToolRequested:
		t.update(o, func(l *progressLine) { l.busy = b.Title })
	case session.Approval:
		t.update(o, func(l *progressLine) {
			l.info.Pending++
			l.busy = text.WaitingForYou.In(t.s.client.locale, b.Title)
		})
	case session.ApprovalResolved:
		t.update(o, func(l *progressLine) { l.info.Pending--; l.busy = "" })
	case session.RunEnded:
		t.end(o, b)
	}
}

func (t *progressTable) ephemeral(o session.Origin, e session.Ephemeral) {
	locale := t.s.client.locale
	switch d := e.Data.(type) {
	case session.RunState:
		t.update(o, func(l *progressLine) {
			l.info.State, l.info.Iteration = d.State, d.Iteration
			switch d.State {
			case "thinking":
				l.busy = text.Thinking.In(locale)
			case "compacting":
				l.busy = text.Compacting.In(locale)
			case "retrying":
				l.busy = text.Retrying.In(locale, control.Title(d.Detail, 60))
			}
		})
	case session.Usage:
		t.update(o, func(l *progressLine) { l.info.Usage = &d })
	}
}

// begin makes a line; its token is the client's, or one that is created first.
func (t *progressTable) begin(o session.Origin, run, title string, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := lineKey(o)
	l := &progressLine{title: title, started: time.Now(), info: progressInfo{SessionID: o.Session, RunID: run, AgentPath: nonNil(o.AgentPath), State: "thinking"}}
	t.lines[key] = l
	if token, ok := t.given[o.Session]; ok && len(o.AgentPath) == 0 {
		delete(t.given, o.Session)
		l.token = token
		t.beginLocked(l)
		return
	}
	if !t.s.client.progress {
		return
	}
	if after == 0 {
		t.s.goWork(func() { t.create(l) })
		return
	}
	l.delay = time.AfterFunc(after, func() { t.s.goWork(func() { t.create(l) }) })
}

// create asks the editor for a token and begins when it says yes.
func (t *progressTable) create(l *progressLine) {
	t.mu.Lock()
	open := 0
	for _, other := range t.lines {
		if len(other.info.AgentPath) > 0 && other.begun && !other.ended {
			open++
		}
	}
	if l.ended || len(l.info.AgentPath) > 0 && open >= mostTokens {
		t.mu.Unlock()
		return
	}
	t.next++
	token := json.RawMessage(fmt.Sprintf(`"agent-%d"`, t.next))
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	if err := t.s.conn.call(ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil); err != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.ended {
		return
	}
	l.token = token
	t.beginLocked(l)
}

func (t *progressTable) beginLocked(l *progressLine) {
	l.begun, l.last = true, time.Now()
	t.send(l, map[string]any{"kind": "begin", "title": l.title, "cancellable": true}, false)
}

// update changes a line and reports it, five times a second at most; the newest
// report replaces one that the client has not read.
func (t *progressTable) update(o session.Origin, change func(*progressLine)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[lineKey(o)]
	if l == nil || l.ended {
		return
	}
	change(l)
	if !l.begun || time.Since(l.last) < reportEvery {
		return
	}
	l.last = time.Now()
	t.send(l, map[string]any{"kind": "report", "message": t.message(l)}, true)
}

// message is one line: what is done now, how many calls, how full the context.
func (t *progressTable) message(l *progressLine) string {
	var parts []string
	if l.busy != "" {
		parts = append(parts, l.busy)
	}
	if l.info.calls > 0 {
		parts = append(parts, text.CallsSoFar.In(t.s.client.locale, l.info.calls))
	}
	if u := l.info.Usage; u != nil && u.Context.Window != nil {
		parts = append(parts, fmt.Sprintf("%dk/%dk tokens", u.Context.Used/1000, *u.Context.Window/1000))
	}
	return control.Title(strings.Join(parts, " · "), maxReport)
}

func (t *progressTable) end(o session.Origin, b session.RunEnded) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := lineKey(o)
	l := t.lines[key]
	if l == nil {
		return
	}
	delete(t.lines, key)
	l.ended = true
	if l.delay != nil {
		l.delay.Stop()
	}
	if l.begun {
		l.info.State, l.info.Stop = "finished", b.StopReason
		t.send(l, map[string]any{"kind": "end", "message": t.s.outcome(b)}, false)
	}
}

// outcome is how a run ended, in a few words.
func (s *Server) outcome(b session.RunEnded) string {
	locale := s.client.locale
	switch {
	case b.Error != nil:
		return control.Title(text.Failed.In(locale, b.Error.Message), maxReport)
	case b.StopReason == "cancelled":
		return text.Cancelled.In(locale)
	case b.Message != "":
		return control.Title(b.Message, maxReport)
	case len(b.Changes) > 0:
		files := map[string]bool{}
		for _, c := range b.Changes {
			files[c.Path] = true
		}
		return text.DoneFiles.In(locale, len(files))
	default:
		return text.Done.In(locale)
	}
}

func (t *progressTable) send(l *progressLine, value map[string]any, replace bool) {
	if t.s.client.marker != nil {
		value["agent"] = l.info
	}
	params, err := encodeJSON(map[string]any{"token": l.token, "value": value})
	if err != nil {
		t.s.report("encode progress", err)
		return
	}
	if replace {
		t.s.conn.out.latest("", "progress"+string(l.token), "$/progress", params)
		return
	}
	t.s.conn.out.notify("$/progress", params)
}

// progressCancel is the person's Stop on a progress line.
func (s *Server) progressCancel(_ context.Context, p struct {
	Token json.RawMessage `json:"token"`
}) error {
	s.progress.mu.Lock()
	var of, run, agent string
	for _, l := range s.progress.lines {
		if string(l.token) == string(p.Token) {
			of, run = l.info.SessionID, l.info.RunID
			if n := len(l.info.AgentPath); n > 0 {
				agent = l.info.AgentPath[n-1]
			}
		}
	}
	s.progress.mu.Unlock()
	open := s.back.Sessions.Open()
	i := slices.IndexFunc(open, func(o *session.Session) bool { return o.ID() == of })
	if i < 0 {
		return nil
	}
	if agent != "" {
		open[i].Cancel(session.CancelTarget{AgentID: agent}, "cancelled by the user")
	} else {
		open[i].Cancel(session.CancelTarget{RunID: run}, "cancelled by the user")
	}
	return nil
}

// tell says the last word of a run to a client that has no other view of it.
func (s *Server) tell(o session.Origin, e session.Event) {
	if s.client.marker != nil || len(o.AgentPath) > 0 {
		return
	}
	locale := s.client.locale
	switch b := e.Body.(type) {
	case session.AssistantMessage:
		s.mu.Lock()
		s.lastWords[o.Session] = control.Title(b.Text, 400)
		s.mu.Unlock()
	case session.RunEnded:
		s.mu.Lock()
		words := s.lastWords[o.Session]
		s.mu.Unlock()
		switch {
		case b.Error != nil:
			s.say(messageError, text.RunFailed.In(locale, control.Title(b.Error.Message, 400)))
		case b.Message != "":
			s.say(messageWarning, text.RunFailed.In(locale, control.Title(b.Message, 400)))
		case b.StopReason == "cancelled":
			s.say(messageInfo, text.RunFailed.In(locale, text.Cancelled.In(locale)))
		default:
			s.say(messageInfo, text.RunDone.In(locale, words))
		}
	}
}
