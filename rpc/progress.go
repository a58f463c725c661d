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
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/text"
)

// Limits of progress.
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

	mu     sync.Mutex // guards everything below
	next   int
	lines  map[string]*progressLine   // by session and agent path
	claims map[string]int             // sessions with awaited prompts that are being taken in
	given  map[string]json.RawMessage // tokens of awaited runs that have not started, by run
}

// progressLine is what the editor shows of one run or sub-agent.
type progressLine struct {
	token  json.RawMessage
	asked  bool // a token is being made, or the client's is used
	failed bool // the client made none
	begun  bool
	ended  bool
	title  shown
	full   bool // the title says that nothing is asked
	last   time.Time
	delay  *time.Timer // until a sub-agent is worth a token
	soon   *time.Timer // until the next report is due
	shown  shown       // the message of the last report

	info progressInfo
	busy string // what is done now
	open string // the question that waits for the person
}

// progressInfo is the extra member `agent` of clients that know us.
type progressInfo struct {
	SessionID string         `json:"sessionId"`
	RunID     string         `json:"runId"`
	AgentPath []string       `json:"agentPath"`
	State     string         `json:"state"`
	Iteration int            `json:"iteration"`
	CallID    string         `json:"callId,omitempty"`
	Pending   int            `json:"pendingApprovals,omitempty"`
	Usage     *history.Usage `json:"usage,omitempty"`
	Stop      string         `json:"stopReason,omitempty"`
	calls     int
}

func newProgressTable(s *Server) *progressTable {
	return &progressTable{s: s, lines: map[string]*progressLine{}, claims: map[string]int{}, given: map[string]json.RawMessage{}}
}

// claim says that a request with a token of its own is about to start or queue a
// run of the session. Until settle is called no token is made for a run that
// starts there: it may be the one that the client's token is for.
func (t *progressTable) claim(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claims[id]++
}

// settle gives the token to the run that the request is about, "" where it is
// about none of its own, and lets the others have theirs.
func (t *progressTable) settle(id, run string, token json.RawMessage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if run != "" {
		t.given[run] = token
	}
	if t.claims[id]--; t.claims[id] > 0 {
		return
	}
	delete(t.claims, id)
	if l := t.lines[lineKey(history.Origin{Session: id})]; l != nil && !l.asked {
		t.startLocked(l, 0)
	}
}

// forget drops a token whose request is answered.
func (t *progressTable) forget(run string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.given, run)
}

func lineKey(o history.Origin) string { return o.Session + "\x00" + strings.Join(o.AgentPath, "/") }

// event follows a run by its durable events.
func (t *progressTable) event(o history.Origin, e history.Event) {
	switch b := e.Body.(type) {
	case history.RunStarted:
		if len(o.AgentPath) > 0 {
			t.begin(o, e.Run, t.titled(o, control.Title(strings.Join(o.AgentPath, "/"), 60)), subAgentDelay)
		} else {
			t.begin(o, e.Run, t.title(o, b), 0)
		}
	case history.ToolDecided:
		t.update(o, func(l *progressLine) { l.info.calls++; l.info.CallID = b.CallID })
	case history.ToolRequested:
		t.update(o, func(l *progressLine) { l.busy = b.Title })
	case history.Approval:
		t.update(o, func(l *progressLine) {
			l.info.Pending++
			l.info.State, l.open = "waiting_approval", text.WaitingForYou.In(t.s.client.locale, b.Title)
		})
	case history.ApprovalResolved:
		t.update(o, func(l *progressLine) {
			if l.info.Pending--; l.info.Pending == 0 {
				l.info.State, l.open = "tool_calling", ""
			}
		})
	case history.RunEnded:
		t.end(o, b)
	}
}

func (t *progressTable) ephemeral(o history.Origin, e history.Ephemeral) {
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
	case history.Usage:
		t.update(o, func(l *progressLine) { l.info.Usage = &d })
	}
}

// title is the first line that a person sees of a run.
func (t *progressTable) title(o history.Origin, b history.RunStarted) shown {
	what := control.Title(history.TextOf(b.Prompt), 60)
	switch {
	case b.Kind == "continuation" && len(b.Prompt) == 0:
		what = text.TryingAgain.In(t.s.client.locale)
	case b.Kind == "compaction":
		what = text.Compacting.In(t.s.client.locale)
	}
	return t.titled(o, what)
}

// titled says in the title that nothing is asked in the session.
func (t *progressTable) titled(o history.Origin, what string) shown {
	if t.s.full.has(o.Session) {
		return message(text.ProgressFull.In(t.s.client.locale, what))
	}
	return message(text.ProgressTitle.In(t.s.client.locale, what))
}

// begin makes a line; its token is the client's, or one that is created first.
func (t *progressTable) begin(o history.Origin, run string, title shown, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := &progressLine{title: title, full: t.s.full.has(o.Session), info: progressInfo{SessionID: o.Session, RunID: run, AgentPath: nonNil(o.AgentPath), State: "thinking"}}
	t.lines[lineKey(o)] = l
	if len(o.AgentPath) == 0 && t.claims[o.Session] > 0 {
		return // settle goes on
	}
	t.startLocked(l, after)
}

func (t *progressTable) startLocked(l *progressLine, after time.Duration) {
	if token, ok := t.given[l.info.RunID]; ok && len(l.info.AgentPath) == 0 {
		delete(t.given, l.info.RunID)
		l.asked = true
		t.beginLocked(l, token)
		return
	}
	if !t.s.client.progress {
		return
	}
	if after == 0 {
		t.createLocked(l)
		return
	}
	l.delay = time.AfterFunc(after, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !l.ended && t.openLocked() < mostTokens {
			t.createLocked(l)
		}
	})
}

// openLocked is how many sub-agents have a token or are getting one.
func (t *progressTable) openLocked() (n int) {
	for _, l := range t.lines {
		if len(l.info.AgentPath) > 0 && l.asked && !l.failed {
			n++
		}
	}
	return n
}

// createLocked asks the editor for a token and begins when it says yes. Its
// place is right behind the event that began the run.
func (t *progressTable) createLocked(l *progressLine) {
	l.asked = true
	t.next++
	token := json.RawMessage(fmt.Sprintf(`"agent-%d"`, t.next))
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	asked, err := t.s.conn.Ask(ctx, "window/workDoneProgress/create", map[string]any{"token": token})
	if err != nil {
		cancel()
		l.failed = true
		return
	}
	t.s.goWork(func() {
		defer cancel()
		err := asked.Wait(nil)
		t.mu.Lock()
		defer t.mu.Unlock()
		l.failed = err != nil
		if err == nil && !l.ended {
			t.beginLocked(l, token)
		}
	})
}

func (t *progressTable) beginLocked(l *progressLine, token json.RawMessage) {
	l.token, l.begun, l.last = token, true, time.Now()
	t.send(l, progressValue{Kind: "begin", Title: l.title, Cancellable: true}, false)
	t.reportSoonLocked(l)
}

// update changes a line and reports it, five times a second at most; what came
// too early for that is reported when its time has come.
func (t *progressTable) update(o history.Origin, change func(*progressLine)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[lineKey(o)]
	if l == nil || l.ended {
		return
	}
	change(l)
	if l.begun {
		t.reportSoonLocked(l)
	}
}

func (t *progressTable) reportSoonLocked(l *progressLine) {
	if wait := reportEvery - time.Since(l.last); wait <= 0 {
		t.reportLocked(l)
	} else if l.soon == nil {
		l.soon = time.AfterFunc(wait, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			l.soon = nil
			if !l.ended {
				t.reportLocked(l)
			}
		})
	}
}

// reportLocked sends what there is to say; the newest report replaces one that
// the client has not read.
func (t *progressTable) reportLocked(l *progressLine) {
	message := t.message(l)
	if message == "" || message == l.shown && t.s.client.marker == nil {
		return
	}
	l.last, l.shown = time.Now(), message
	t.send(l, progressValue{Kind: "report", Message: message}, true)
}

// message is one line: what is done now, how many calls, how full the context.
func (t *progressTable) message(l *progressLine) shown {
	var parts []string
	if !l.full && t.s.full.has(l.info.SessionID) { // it began meanwhile, and a title stays
		parts = append(parts, text.FullAccess.In(t.s.client.locale))
	}
	if l.open != "" {
		parts = append(parts, l.open)
	} else if l.busy != "" {
		parts = append(parts, l.busy)
	}
	if l.info.calls > 0 {
		parts = append(parts, text.Calls(t.s.client.locale, l.info.calls))
	}
	if u := l.info.Usage; u != nil && u.Context.Window != nil {
		parts = append(parts, fmt.Sprintf("%dk/%dk tokens", u.Context.Used/1000, *u.Context.Window/1000))
	}
	return line(inert(strings.Join(parts, " · ")), maxReport)
}

func (t *progressTable) end(o history.Origin, b history.RunEnded) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := lineKey(o)
	l := t.lines[key]
	if l == nil {
		return
	}
	delete(t.lines, key)
	l.ended = true
	for _, timer := range []*time.Timer{l.delay, l.soon} {
		if timer != nil {
			timer.Stop()
		}
	}
	if l.begun {
		l.info.State, l.info.Stop = "finished", b.StopReason
		if b.Error != nil {
			l.info.State = "error"
		}
		t.send(l, progressValue{Kind: "end", Message: message(t.s.outcome(b))}, false)
	}
}

func (t *progressTable) send(l *progressLine, value progressValue, replace bool) {
	if t.s.client.marker != nil {
		value.Agent = &l.info
	}
	params, err := wire.EncodeJSON(map[string]any{"token": l.token, "value": value})
	if err != nil {
		t.s.report("encode progress", err)
		return
	}
	if replace {
		t.s.conn.Latest("", "progress"+string(l.token), "$/progress", params)
		return
	}
	if err := t.s.conn.Notify("$/progress", params); err != nil {
		t.s.report("send progress", err)
	}
}

// progressCancel is the person's Stop on a progress line.
func (s *Server) progressCancel(_ context.Context, p struct {
	Token json.RawMessage `json:"token"`
}) error {
	s.progress.mu.Lock()
	var of, run, agent string
	for _, l := range s.progress.lines {
		if l.begun && len(p.Token) > 0 && wire.IDKey(l.token) == wire.IDKey(p.Token) {
			of, run = l.info.SessionID, l.info.RunID
			if n := len(l.info.AgentPath); n > 0 {
				agent = l.info.AgentPath[n-1]
			}
		}
	}
	s.progress.mu.Unlock()
	open := s.back.Sessions.Live()
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
