package session

import (
	"math"
	"time"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
)

func (w *worker) limitsOf(asked *history.Limits, agent config.Agent) limits {
	c := w.deps.Config.Settings()
	l := limits{configured(int64(c.Limits.MaxTurns)), configured(int64(c.Limits.MaxToolCalls)), configured(c.Limits.MaxTokens), configured(c.Limits.WallMs), configured(millionths(agent.BudgetCost))}
	if n := int64(agent.MaxTurns); n > 0 && (l.turns.max == 0 || n < l.turns.max) {
		l.turns = configured(n)
	}
	if n := agent.WallMs; n > 0 && (l.wall.max == 0 || n < l.wall.max) {
		l.wall = configured(n)
	}
	if n := agent.BudgetTokens; n > 0 && (l.tokens.max == 0 || n < l.tokens.max) {
		l.tokens = configured(n)
	}
	if w.session.above != nil {
		l.turns = given(smallest(l.turns.max, int64(c.Subagents.MaxTurns)))
		l.wall = given(smallest(l.wall.max, c.Subagents.WallMs))
		l.calls.asks, l.tokens.asks, l.cost.asks = false, false, false
	}
	if asked == nil {
		return l
	}
	if asked.MaxTurns != nil {
		most := int64(*asked.MaxTurns)
		if w.session.above != nil { // who asks for more does not get more
			most = smallest(l.turns.max, most)
		}
		l.turns = given(most)
	}
	if asked.MaxToolCalls != nil {
		l.calls = given(int64(*asked.MaxToolCalls))
	}
	if asked.MaxTokens != nil {
		l.tokens = given(*asked.MaxTokens)
	}
	if asked.WallMs != nil {
		most := *asked.WallMs
		if w.session.above != nil {
			most = smallest(l.wall.max, most)
		}
		l.wall = given(most)
	}
	return l
}

// limit says whether the run may think once more.
func (w *worker) limit(r *run) (stop, bool) {
	if r.ctx.Err() != nil {
		return r.stopFor(r.ctx.Err()), true
	}
	w.deps.Config.Reload() // between turns
	l := &r.limits
	if l.turns.reached(int64(r.iteration)) && !w.mayGoOn(r, &l.turns, int64(r.iteration), said.That("The run is at its limit of model turns (%d). Go on?", r.iteration)) {
		return r.stopAt("max_turns", said.That("Stopped: the limit of model turns (%d) was reached.", l.turns.max)), true
	}
	spent := r.usage.InputTokens + r.usage.OutputTokens
	if l.tokens.reached(spent) && !w.mayGoOn(r, &l.tokens, spent, said.That("The run is over its budget: %d tokens. Go on?", spent)) {
		return r.stopAt("limit", said.That("Stopped: the token budget (%d) was used up.", l.tokens.max)), true
	}
	if c := r.usage.Cost; c != nil && l.cost.reached(millionths(c.Amount)) && !w.mayGoOn(r, &l.cost, millionths(c.Amount), said.That("The run is over its budget: %s. Go on?", ledger.Dollars(c.Amount, c.Estimated))) {
		return r.stopAt("limit", said.That("Stopped: the budget of %.4g %s was used up.", float64(l.cost.max)/1e6, c.Currency)), true
	}
	if end, over := w.limitBudgets(r); over {
		return end, true
	}
	return w.limitTime(r)
}

// limitBudgets asks about a session or a day that has spent what it may. A sub-agent ends
// and reports: the session above it asks.
func (w *worker) limitBudgets(r *run) (stop, bool) {
	set := w.deps.Config.Settings().Budget.Within(r.agent.Budgets)
	open := append(runBudgets(&w.root.spent), sessionBudgets(set.Session, &w.root.spent)...)
	if s := w.deps.Spending; s != nil && set.Day != (config.Spend{}) {
		day := s.Ledger.Today()
		sum, err := s.Ledger.Spent(day)
		if err != nil { // nobody knows, so somebody decides
			open = append(open, budget{day + " unknown", &s.days, 1, 1,
				said.That("What was spent today is not known (%s), and there is a budget for the day. Go on?", err.Error()),
				said.That("Stopped: what was spent today is not known (%s), and there is a budget for the day.", err.Error())})
		}
		open = append(open, dayBudgets(set.Day, day, sum, &s.days)...)
	}
	for _, b := range open {
		l := limit{max: b.raised.of(b.name, b.most), step: b.most, asks: w.session.above == nil && !b.asked.IsZero()}
		if !l.reached(b.spent) {
			continue
		}
		if !w.mayGoOn(r, &l, b.spent, b.asked) {
			return r.stopAt(history.StopLimit, b.stopped), true
		}
		b.raised.set(b.name, l.max)
	}
	return stop{}, false
}

// limitCalls says how many more tool calls may run now.
func (w *worker) limitCalls(r *run) (room int, end stop, over bool) {
	if end, over := w.limitTime(r); over {
		return 0, end, true
	}
	l := &r.limits.calls
	if l.reached(int64(r.calls)) && !w.mayGoOn(r, l, int64(r.calls), said.That("The run is at its limit of tool calls (%d). Go on?", r.calls)) {
		return 0, r.stopAt("limit", said.That("Stopped: the limit of tool calls (%d) was reached.", l.max)), true
	}
	if l.max == 0 {
		return math.MaxInt, stop{}, false
	}
	return int(l.max) - r.calls, stop{}, false
}

// limitTime asks about configured time that is up; the clock has only noted it.
func (w *worker) limitTime(r *run) (stop, bool) {
	if !r.wallOver.Swap(false) {
		return stop{}, false
	}
	l := &r.limits.wall
	if !w.mayGoOn(r, l, l.max, said.That("The run is at its time limit (%s). Go on?", time.Duration(l.max)*time.Millisecond)) {
		return r.stopAt("limit", wallMessage(l.max)), true
	}
	if l.max > 0 {
		w.deps.startClock(r, l.step)
	}
	return stop{}, false
}

// stopAt is the end at a limit, unless the run was cancelled while somebody was
// asked about it.
func (r *run) stopAt(reason history.StopReason, message said.Text) stop {
	if r.ctx.Err() != nil {
		return r.stopFor(r.ctx.Err())
	}
	return stop{reason: reason, message: message}
}

// mayGoOn asks whether a run may go on over a configured limit of which n is used
// up: once is as much again from here, always switches this limit off for the
// rest of the run; the others, and those that a client set, stay.
func (w *worker) mayGoOn(r *run, l *limit, n int64, title said.Text) bool {
	if !l.asks || !w.deps.Approver.CanAnswer() {
		return false
	}
	answer := w.asker.ask(r, approvalRequest{ctx: r.ctx, build: func() history.Approval {
		return plainQuestion("limit", title, said.That("a limit of the configuration was reached"))
	}})
	switch answer.decision {
	case "once":
		l.max = n + l.step
	case "always":
		l.max = 0
	default:
		return false
	}
	return true
}

// startClock lets the run end when its time is up, not counting the time in
// which a person thinks; configured time that can be asked about is only noted.
func (d *Deps) startClock(r *run, ms int64) {
	r.clock.start(time.Duration(ms)*time.Millisecond, func() {
		if r.limits.wall.asks && d.Approver.CanAnswer() {
			r.wallOver.Store(true)
			return
		}
		r.cancel(&cancelCause{why: "time limit", wall: true})
	})
}
