package session

import (
	"github.com/agent-sidecar/agent-sidecar/model"
	"github.com/agent-sidecar/agent-sidecar/session/history"
	"github.com/agent-sidecar/agent-sidecar/session/journal"
)

// weight is what is known of an item's tokens besides its size.
type weight struct {
	exact int64 // of all of it but images; 0 is not counted
	of    int64 // the bytes of its size, when it was counted
}

// weighed is how much more, or less, items have than their sizes say. An item
// that is sent shortened meanwhile is not what was counted. For a model that counts
// with a vocabulary of its own, what was counted here may be too little: it only
// ever adds to what was learned from the model's reports.
func (v *view) weighed(name string, items []history.Item) (more int64) {
	if len(v.weights) == 0 {
		return 0
	}
	exactly := model.HasOurVocabulary(name)
	for n := range items {
		i := &items[n]
		w := v.weights[i.Seq]
		if w.exact == 0 || w.of != i.Size.Bytes {
			continue
		}
		if d := w.exact - v.tokens(name, history.Size{Bytes: w.of}); d > 0 || exactly {
			more += d
		}
	}
	return more
}

// extra is what weighed says of the first items of a conversation, as long as the ratio
// is the same.
type extra struct {
	counted string  // the model that the items were counted for
	ratio   float64 // of the model that asks
	items   int
	more    int64
}

// weighedAll is weighed of all that is shown. Each item is looked at once when it is
// counted.
func (v *view) weighedAll(s *shown) int64 {
	name := s.as.model
	e := &s.extra
	if ratio := v.deps.Models.Ratio(name); e.ratio != ratio || e.counted != v.weighedFor {
		*e = extra{counted: v.weighedFor, ratio: ratio}
	}
	from := e.items
	for e.items < len(s.Items) && v.weights[s.Items[e.items].Seq].exact > 0 {
		e.items++
	}
	e.more += v.weighed(name, s.Items[from:e.items])
	return e.more + v.weighed(name, s.Items[e.items:])
}

// fixedSize is what every request of the run has, in the same way.
func (v *view) fixedSize(r *run) int64 {
	name := r.model.Info().Name
	estimated := v.tokens(name, r.fixed)
	if r.counted == 0 || r.counted < estimated && !model.HasOurVocabulary(name) {
		return estimated
	}
	return r.counted
}

// countExactly makes the numbers good on which room is made: where the next request is
// estimated within a tenth of a threshold, or above it, what was not reported is
// counted exactly, each message once. It is called between requests by the run's
// goroutine and contains no lock while it counts.
func (v *view) countExactly(r *run, thresholds ...int64) {
	if name := r.model.Info().Name; v.weighedFor != name {
		v.weights, v.weighedFor = map[int64]weight{}, name
	}
	if !near(v.used(r), thresholds) {
		return
	}
	t := journal.Read(v.journal, copied)
	exact := func(text string) int64 { return v.deps.Models.Exact(r.model.Info().Name, text) }
	items := t.Since()
	if !v.reports(r, t) {
		items = t.Items[v.latest.from+v.latest.extra.items:] // those before are counted
		if r.counted == 0 {
			r.counted = v.fixedTokens(r, exact)
		}
	}
	for _, i := range items {
		if r.ctx.Err() != nil {
			return
		}
		v.weighExactly(i, exact)
	}
}

// near says that tokens are at least nine tenths of a threshold; 0 is none.
func near(tokens int64, thresholds []int64) bool {
	for _, t := range thresholds {
		if t > 0 && tokens*10 >= t*9 {
			return true
		}
	}
	return false
}

// weighExactly counts the texts of an item; what only its length is known of stays
// an estimate.
func (v *view) weighExactly(i history.Item, exact func(string) int64) {
	if v.weights[i.Seq].exact > 0 {
		return
	}
	n := i.Size.Bytes / 3 // with what surrounds texts, and inputs beside the log
	for _, text := range i.Texts() {
		n += exact(text) - model.RawTokens(text)
	}
	for _, name := range i.Attached() {
		if text, err := v.blobs.get(name); err == nil {
			n += exact(string(text)) - int64(len(text))/3
		}
	}
	v.weights[i.Seq] = weight{exact: max(n, 1), of: i.Size.Bytes}
}

// fixedTokens is what every request of the run has: its system prompt and its
// tools.
func (v *view) fixedTokens(r *run, measure func(string) int64) int64 {
	n := model.Message{Role: "system", Text: r.system}.Tokens(measure)
	for _, spec := range r.tools.Specs() {
		n += model.Tool{Name: spec.Name, Description: spec.Description, Schema: spec.Schema}.Tokens(measure)
	}
	return n
}
