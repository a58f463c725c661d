package runner

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/agent-sidecar/agent-sidecar/runner/seam"
)

// looks are what a worker has looked up with a plan, so that judging the plan here asks
// nothing more. Each serves once, so that who asks again is told how it is by then.
type looks struct {
	mu     sync.Mutex // guards what follows
	came   time.Time  // the last ones
	unused map[string][]seam.Answer
}

// fresh is how long answers serve: they are for judging what was just planned, and not
// for what is thought of when a person has answered.
const fresh = time.Second

// add takes the looks of a plan. Those of earlier ones are kept for calls of one answer,
// which are planned together.
func (k *looks) add(looked []seam.Looked) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.unused == nil || time.Since(k.came) > fresh {
		k.unused = map[string][]seam.Answer{}
	}
	k.came = time.Now()
	for _, l := range looked {
		key := keyOf(l.Question)
		k.unused[key] = append(k.unused[key], l.Answer)
	}
}

// take is an answer that nobody has used.
func (k *looks) take(q seam.Question) (a seam.Answer, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.unused) == 0 || time.Since(k.came) > fresh {
		return a, false
	}
	key := keyOf(q)
	left := k.unused[key]
	if len(left) == 0 {
		return a, false
	}
	k.unused[key] = left[1:]
	return left[0], true
}

// drop forgets all: something there may be other than it was.
func (k *looks) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.unused = nil
}

func keyOf(q seam.Question) string {
	key, _ := json.Marshal(q) // strings and booleans
	return string(key)
}

// one answers one question: by what was looked up with a plan, or else the worker is asked.
func (l *link) one(q seam.Question) (a seam.Answer, ok bool) {
	if a, ok = l.looks.take(q); ok && l.now() != nil {
		return a, true
	}
	all, ok := glance[[]seam.Answer](l, seam.Resolve, []seam.Question{q})
	if !ok || len(all) != 1 {
		return a, false
	}
	return all[0], true
}
