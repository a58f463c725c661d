package surface

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
	"github.com/agent-sidecar/agent-sidecar/rpc/wire"
	"github.com/agent-sidecar/agent-sidecar/session"
	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Limits of progress.
const (
	reportEvery   = 200 * time.Millisecond // at most five a second a token
	subAgentDelay = 500 * time.Millisecond // a sub-agent that ends before has no token
	mostTokens    = 4                      // of sub-agents, open at once
)

// Progress is the $/progress of this connection: one token a run, one a
// sub-agent that lives long enough. A begin follows only a create that was
// answered without error; every begin has one end, and no token is used twice
// (O6).
type Progress struct {
	*Screen
	full  *fullAccess
	where *whereabouts

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
	title  Shown
	full   bool // the title says that nothing is asked
	last   time.Time
	delay  *time.Timer // until a sub-agent is worth a token
	soon   *time.Timer // until the next report is due
	shown  Shown       // the message of the last report

	info AgentProgress
	busy string // what is done now
	open string // the question that waits for the person
}

// AgentProgress is the extra member `agent` of clients that know us.
type AgentProgress struct {
	SessionID string             `json:"sessionId"`
	RunID     string             `json:"runId"`
	AgentPath []string           `json:"agentPath"`
	State     string             `json:"state"`
	Iteration int                `json:"iteration"`
	CallID    string             `json:"callId,omitempty"`
	Pending   int                `json:"pendingApprovals,omitempty"`
	Usage     *history.Usage     `json:"usage,omitempty"`
	Stop      history.StopReason `json:"stopReason,omitempty"`
	calls     int
}

func newProgress(s *Screen, full *fullAccess, where *whereabouts) *Progress {
	return &Progress{Screen: s, full: full, where: where, lines: map[string]*progressLine{}, claims: map[string]int{}, given: map[string]json.RawMessage{}}
}

// Claim says that a request with a token of its own is about to start or queue a
// run of the session. Until Settle is called no token is made for a run that
// starts there: it may be the one that the client's token is for.
func (t *Progress) Claim(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claims[id]++
}

// Settle gives the token to the run that the request is about, "" where it is
// about none of its own, and lets the others have theirs.
func (t *Progress) Settle(id, run string, token json.RawMessage) {
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

// Forget drops a token whose request is answered.
func (t *Progress) Forget(run string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.given, run)
}

func lineKey(o history.Origin) string { return o.Session + "\x00" + strings.Join(o.AgentPath, "/") }

// event follows a run by its durable events.
func (t *Progress) event(o history.Origin, e history.Event) {
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
			l.info.State, l.open = "waiting_approval", locale.WaitingForYou.In(t.Locale, b.Title.String())
		})
	case history.ApprovalResolved:
		t.update(o, func(l *progressLine) {
			if l.info.Pending--; l.info.Pending == 0 {
				l.info.State, l.open = "tool_calling", ""
			}
		})
	case history.QuestionAsked:
		t.update(o, func(l *progressLine) {
			l.info.State, l.open = "waiting_approval", locale.WaitingForYou.In(t.Locale, b.Questions[0].Question)
		})
	case history.QuestionAnswered:
		t.update(o, func(l *progressLine) {
			if l.info.Pending == 0 {
				l.info.State, l.open = "tool_calling", ""
			}
		})
	case history.RunEnded:
		t.end(o, b)
	}
}

func (t *Progress) ephemeral(o history.Origin, e history.Ephemeral) {
	lang := t.Locale
	switch d := e.Data.(type) {
	case session.RunState:
		t.update(o, func(l *progressLine) {
			l.info.State, l.info.Iteration = d.State, d.Iteration
			switch d.State {
			case "thinking":
				l.busy = locale.Thinking.In(lang)
			case "compacting":
				l.busy = locale.Compacting.In(lang)
			case "retrying":
				l.busy = locale.Retrying.In(lang, control.Title(d.Detail, 60))
			}
		})
	case history.Usage:
		t.update(o, func(l *progressLine) { l.info.Usage = &d })
	}
}

// title is the first line that a person sees of a run.
func (t *Progress) title(o history.Origin, b history.RunStarted) Shown {
	what := control.Title(history.TextOf(b.Words()), 60)
	switch {
	case b.Kind == "continuation" && len(b.Prompt) == 0:
		what = locale.TryingAgain.In(t.Locale)
	case b.Kind == "compaction":
		what = locale.Compacting.In(t.Locale)
	}
	return t.titled(o, what)
}

// titled says in the title on which runner the run works, and that nothing is asked in the
// session.
func (t *Progress) titled(o history.Origin, what string) Shown {
	switch full, runner := t.full.has(o.Session), t.where.of(o.Session); {
	case full && runner != "":
		return Message(locale.ProgressFullOn.In(t.Locale, runner, what))
	case full:
		return Message(locale.ProgressFull.In(t.Locale, what))
	case runner != "":
		return Message(locale.ProgressOn.In(t.Locale, runner, what))
	}
	return Message(locale.ProgressTitle.In(t.Locale, what))
}

// begin makes a line; its token is the client's, or one that is created first.
func (t *Progress) begin(o history.Origin, run string, title Shown, after time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := &progressLine{title: title, full: t.full.has(o.Session), info: AgentProgress{SessionID: o.Session, RunID: run, AgentPath: append([]string{}, o.AgentPath...), State: "thinking"}}
	t.lines[lineKey(o)] = l
	if len(o.AgentPath) == 0 && t.claims[o.Session] > 0 {
		return // Settle goes on
	}
	t.startLocked(l, after)
}

func (t *Progress) startLocked(l *progressLine, after time.Duration) {
	if token, ok := t.given[l.info.RunID]; ok && len(l.info.AgentPath) == 0 {
		delete(t.given, l.info.RunID)
		l.asked = true
		t.beginLocked(l, token)
		return
	}
	if !t.WorkDoneProgress {
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
func (t *Progress) openLocked() (n int) {
	for _, l := range t.lines {
		if len(l.info.AgentPath) > 0 && l.asked && !l.failed {
			n++
		}
	}
	return n
}

// createLocked asks the editor for a token and begins when it says yes. Its
// place is right behind the event that began the run.
func (t *Progress) createLocked(l *progressLine) {
	l.asked = true
	t.next++
	token := json.RawMessage(fmt.Sprintf(`"agent-%d"`, t.next))
	err := t.request("window/workDoneProgress/create", map[string]any{"token": token}, nil, func(err error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		l.failed = err != nil
		if err == nil && !l.ended {
			t.beginLocked(l, token)
		}
	})
	l.failed = err != nil
}

func (t *Progress) beginLocked(l *progressLine, token json.RawMessage) {
	l.token, l.begun, l.last = token, true, time.Now()
	t.send(l, progressValue{Kind: "begin", Title: l.title, Cancellable: true}, false)
	t.reportSoonLocked(l)
}

// update changes a line and reports it, five times a second at most; what came
// too early for that is reported when its time has come.
func (t *Progress) update(o history.Origin, change func(*progressLine)) {
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

func (t *Progress) reportSoonLocked(l *progressLine) {
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
func (t *Progress) reportLocked(l *progressLine) {
	message := t.message(l)
	if message == "" || message == l.shown && !t.Plugin {
		return
	}
	l.last, l.shown = time.Now(), message
	t.send(l, progressValue{Kind: "report", Message: message}, true)
}

// message is one line: what is done now, how many calls, how full the context.
func (t *Progress) message(l *progressLine) Shown {
	var parts []string
	if !l.full && t.full.has(l.info.SessionID) { // it began meanwhile, and a title stays
		parts = append(parts, locale.FullAccess.In(t.Locale))
	}
	if l.open != "" {
		parts = append(parts, l.open)
	} else if l.busy != "" {
		parts = append(parts, l.busy)
	}
	if l.info.calls > 0 {
		parts = append(parts, locale.Calls(t.Locale, l.info.calls))
	}
	if u := l.info.Usage; u != nil && u.Context.Window != nil {
		parts = append(parts, fmt.Sprintf("%dk/%dk tokens", u.Context.Used/1000, *u.Context.Window/1000))
	}
	return Line(inert(strings.Join(parts, " · ")), maxReport)
}

func (t *Progress) end(o history.Origin, b history.RunEnded) {
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
		t.send(l, progressValue{Kind: "end", Message: Message(outcome(t.Locale, b))}, false)
	}
}

func (t *Progress) send(l *progressLine, value progressValue, replace bool) {
	if t.Plugin {
		value.Agent = &l.info
	}
	params, err := wire.EncodeJSON(map[string]any{"token": l.token, "value": value})
	if err != nil {
		t.Report("encode progress", err)
		return
	}
	if replace {
		t.Latest("", "progress"+string(l.token), "$/progress", params)
		return
	}
	if err := t.Notify("$/progress", params); err != nil {
		t.Report("send progress", err)
	}
}

// Running is the run, or the sub-agent, whose line has that token; id is ""
// where there is none.
func (t *Progress) Running(token json.RawMessage) (id string, target session.CancelTarget) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.lines {
		if !l.begun || len(token) == 0 || wire.IDKey(l.token) != wire.IDKey(token) {
			continue
		}
		if n := len(l.info.AgentPath); n > 0 {
			return l.info.SessionID, session.CancelTarget{AgentID: l.info.AgentPath[n-1]}
		}
		return l.info.SessionID, session.CancelTarget{RunID: l.info.RunID}
	}
	return "", target
}

// progressValue is what $/progress says of a run.
type progressValue struct {
	Agent       *AgentProgress `json:"agent,omitempty"`
	Cancellable bool           `json:"cancellable,omitempty"`
	Kind        string         `json:"kind"`
	Message     Shown          `json:"message,omitempty"`
	Title       Shown          `json:"title,omitempty"`
}
