package session

import (
	"math"
	"sync"

	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/ledger"
)

// Spending is what all sessions of a home spend, and how far a person has let a day go in
// this process.
type Spending struct {
	Ledger *ledger.Ledger
	days   raised
}

// raised are budgets that a person has let go further than they were set, by what they are
// about; 0 is no end. Nothing of it outlives the process: after a restart somebody is asked.
type raised struct {
	mu sync.Mutex // guards to
	to map[string]int64
}

// of is how far a budget goes that was set to n.
func (r *raised) of(name string, n int64) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if to, is := r.to[name]; is && (to == 0 || to > n) {
		return to
	}
	return n
}

func (r *raised) set(name string, to int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.to == nil {
		r.to = map[string]int64{}
	}
	r.to[name] = to
}

// spent is what a session has spent so far, with its sub-agents and what no message tells of.
type spent struct {
	mu    sync.Mutex // guards sum, run and begun
	sum   ledger.Sum
	run   config.Spend // what a client lets the run spend
	begun ledger.Sum   // when it began
	limit raised
}

// bound begins a run of the session itself, which may spend what a client said.
func (s *spent) bound(asked *history.Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run, s.begun = config.Spend{}, s.sum
	if asked != nil && asked.MaxTokens != nil {
		s.run.Tokens = *asked.MaxTokens
	}
	if asked != nil && asked.MaxCost != nil {
		s.run.Cost = *asked.MaxCost
	}
}

func (s *spent) add(more ledger.Sum) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum = s.sum.Plus(more)
}

func (s *spent) all() ledger.Sum {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sum
}

// before is what the log of a session says that it has spent.
func before(u history.Usage) ledger.Sum {
	sum := ledger.Sum{Input: u.InputTokens, Output: u.OutputTokens}
	if u.Cost != nil {
		sum.Cost, sum.Estimated = u.Cost.Amount, u.Cost.Estimated
	}
	return sum
}

func sumOf(u *model.Usage) ledger.Sum {
	sum := ledger.Sum{Input: u.Input, Output: u.Output, Cached: u.Cached, Written: u.CacheWrite, Estimated: u.Estimated}
	if u.Cost != nil {
		sum.Cost = *u.Cost
	} else {
		sum.Unpriced = sum.Tokens()
	}
	return sum
}

// budget is one limit over more than a run.
type budget struct {
	name    string // among those that a person has raised
	raised  *raised
	most    int64 // as it is set
	spent   int64
	asked   said.Text // zero: nobody is asked
	stopped said.Text
}

// runBudgets are those of the run, its sub-agents included: reaching one ends it.
func runBudgets(s *spent) []budget {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []budget{
		{"run tokens", &s.limit, s.run.Tokens, s.sum.Tokens() - s.begun.Tokens(), said.Text{}, said.That("Stopped: the token budget (%d) was used up.", s.run.Tokens)},
		{"run cost", &s.limit, millionths(s.run.Cost), millionths(s.sum.Cost - s.begun.Cost), said.Text{}, said.That("Stopped: the budget of %.4g %s was used up.", s.run.Cost, "USD")},
	}
}

func sessionBudgets(set config.Spend, s *spent) []budget {
	sum := s.all()
	return []budget{
		{"tokens", &s.limit, set.Tokens, sum.Tokens(),
			said.That("This session is over its budget: %d tokens. Go on?", sum.Tokens()), said.That("Stopped: the budget of the session (%d tokens) was used up.", set.Tokens)},
		{"cost", &s.limit, millionths(set.Cost), millionths(sum.Cost),
			said.That("This session is over its budget: %s. Go on?", sum.Dollars()), said.That("Stopped: the budget of the session (%.4g USD) was used up.", set.Cost)},
	}
}

func dayBudgets(set config.Spend, day string, sum ledger.Sum, r *raised) []budget {
	return []budget{
		{day + " tokens", r, set.Tokens, sum.Tokens(),
			said.That("Today is over its budget: %d tokens. Go on?", sum.Tokens()), said.That("Stopped: the budget of the day (%d tokens) was used up.", set.Tokens)},
		{day + " cost", r, millionths(set.Cost), millionths(sum.Cost),
			said.That("Today is over its budget: %s. Go on?", sum.Dollars()), said.That("Stopped: the budget of the day (%.4g USD) was used up.", set.Cost)},
	}
}

// millionths count an amount in steps that add up exactly; what is below one counts
// as one, and what no number holds as the most there can be.
func millionths(amount float64) int64 {
	if amount <= 0 {
		return 0
	}
	return max(1, int64(min(math.Round(amount*1e6), 1<<53)))
}
