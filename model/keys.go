package model

import (
	"slices"
	"time"
)

// restKeyFor is how long a refused key is asked with last. It is long, because a
// key that is wrong stays so until somebody changes it.
const restKeyFor = 10 * time.Minute

// ring are the keys of one endpoint while one question is asked: each has its own
// three attempts, and limits of rate are counted for each.
type ring struct{ turns []*turn }

// turn is the state of one key.
type turn struct {
	key   string
	asked int       // requests with it
	ready time.Time // not before
	out   bool      // not again for this question
}

func newRing(keys []string) *ring {
	r := &ring{}
	for _, k := range keys {
		r.turns = append(r.turns, &turn{key: k})
	}
	return r
}

// next is the key that may be used soonest, in the order of the keys; nil when
// none is left.
func (r *ring) next() *turn {
	var best *turn
	for _, t := range r.turns {
		if !t.out && (best == nil || t.ready.Before(best.ready)) {
			best = t
		}
	}
	return best
}

// others says that another key than t is left.
func (r *ring) others(t *turn) bool {
	return slices.ContainsFunc(r.turns, func(o *turn) bool { return o != t && !o.out })
}
