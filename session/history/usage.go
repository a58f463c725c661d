package history

import (
	"cmp"
	"math"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// Usage is what a run or a session has cost.
type Usage struct {
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	CachedTokens int64 `json:"cachedTokens"` // of InputTokens
	// CacheWriteTokens are those of InputTokens that were written to the provider's cache.
	CacheWriteTokens int64   `json:"cacheWriteTokens,omitempty"`
	Context          Context `json:"context"`
	Cost             *Cost   `json:"cost,omitempty"`
}

// Context is how full the model's window is. Window and Percent are null when
// the window is unknown; Generation counts compactions.
type Context struct {
	Used       int64    `json:"used"`
	Window     *int64   `json:"window"`
	Percent    *float64 `json:"percent"` // 0–100
	Generation int      `json:"generation"`
}

// Cost is money: what the provider says, or what was computed from a price when the answer
// came.
type Cost struct {
	Amount    float64 `json:"amount"`
	Currency  string  `json:"currency"`
	Estimated bool    `json:"estimated,omitempty"` // some of it was computed
}

// TokenCount is what the provider reported for one answer.
type TokenCount struct {
	InputTokens      int64    `json:"inputTokens"` // the whole prompt
	OutputTokens     int64    `json:"outputTokens"`
	CachedTokens     int64    `json:"cachedTokens,omitempty"`
	CacheWriteTokens int64    `json:"cacheWriteTokens,omitempty"`
	Cost             *float64 `json:"cost,omitempty"`      // USD
	Estimated        bool     `json:"estimated,omitempty"` // Cost was computed from a price
}

// Reported is what a provider reported for one answer, nil where it reported nothing.
func Reported(u *model.Usage) *TokenCount {
	if u == nil {
		return nil
	}
	return &TokenCount{InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.Cached, CacheWriteTokens: u.CacheWrite, Cost: u.Cost, Estimated: u.Estimated}
}

// Add counts one answer in; nil is one that said nothing.
func (u *Usage) Add(t *TokenCount) {
	if t == nil {
		return
	}
	u.InputTokens += t.InputTokens
	u.OutputTokens += t.OutputTokens
	u.CachedTokens += t.CachedTokens
	u.CacheWriteTokens += t.CacheWriteTokens
	if t.Cost != nil {
		u.Cost = addCost(u.Cost, &Cost{*t.Cost, "USD", t.Estimated})
	}
}

// Plus adds what a run or a sub-agent has cost, without its context.
func (u *Usage) Plus(o Usage) {
	u.InputTokens += o.InputTokens
	u.OutputTokens += o.OutputTokens
	u.CachedTokens += o.CachedTokens
	u.CacheWriteTokens += o.CacheWriteTokens
	u.Cost = addCost(u.Cost, o.Cost)
}

// addCost changes neither: what has been shown stays as it was. A sum is exact to a
// ten-thousandth of a millionth.
func addCost(a, b *Cost) *Cost {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	const steps = 1e10
	sum := a.Amount + b.Amount
	if rounded := math.Round(sum*steps) / steps; !math.IsInf(rounded, 0) {
		sum = rounded
	}
	return &Cost{min(sum, math.MaxFloat64), a.Currency, a.Estimated || b.Estimated}
}

// Limits bound one run; nil members are the configuration's.
type Limits struct {
	MaxTurns     *int     `json:"maxTurns,omitempty"`
	MaxToolCalls *int     `json:"maxToolCalls,omitempty"`
	MaxTokens    *int64   `json:"maxTokens,omitempty"` // with those of its sub-agents
	MaxCost      *float64 `json:"maxCost,omitempty"`   // USD, with its sub-agents
	WallMs       *int64   `json:"wallMs,omitempty"`
}
