// Package loop notices a run that goes in circles: the same call again and again, a cycle
// of calls, the same error. It asks and stops nothing itself.
package loop

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The limits of the loop guard. SameToolThreshold is configurable; the others are
// constants.
const (
	DefaultSameToolThreshold = 5
	sameErrorThreshold       = 5
	cycleRepeats             = 4
	maxCycle                 = 4
	freeCalls                = 3       // after a yes
	maxHashedArgs            = 1 << 20 // larger arguments count by name alone
)

// Finding is what the guard says about a call that has not run.
type Finding struct {
	// Verdict is Allow, or Ask: ask (domain doom_loop) before this call runs;
	// nobody to ask or a no ends the run as doom_loop.
	Verdict control.Verdict
	Kind    string    // "same", "cycle" or "error"
	Count   int       // which consecutive one this call would be
	Reason  said.Text // for the question
	Stop    said.Text // for run.ended, when the answer is no
}

// Guard notices a run that goes in circles. It is plain state of one run:
// Before asks about a call and counts it where it may go on, Returned tells what
// came of the oldest one that was counted, Once follows a yes. Calls that are
// judged together before any of them has run count too: an answer with five of
// the same is the same circle. The zero Guard has the default threshold. It
// is not safe for concurrent use.
type Guard struct {
	limit   int
	off     bool
	history []call // those that came back
	open    []call // those that have not, oldest first
	free    int
	errHash string
	errs    int
}

// New returns a guard that asks before the given consecutive identical
// call; 0 means 5, anything else below 2 counts as 2.
func New(threshold int) *Guard { return &Guard{limit: threshold} }

// Off follows an answer of `always`: nothing more is asked. It is for this
// session and in memory only.
func (g *Guard) Off() { g.off = true }

type call struct {
	key    string
	output string // hash; "" until it is known
	free   bool   // it does not count
}

// keyOf identifies a call: the tool and the sha256 of its canonical arguments.
func keyOf(name string, args json.RawMessage) string {
	if len(args) > maxHashedArgs {
		return name
	}
	if c, err := tool.Canonical(args); err == nil {
		args = c
	}
	return name + "\x00" + hashText(string(args))
}

func hashText(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func (g *Guard) threshold() int {
	if g.limit == 0 {
		return DefaultSameToolThreshold
	}
	return max(2, g.limit)
}

// Before says whether the call may simply run. Where it may, it counts, and
// Returned or Forget must follow, in the order of the calls.
func (g *Guard) Before(name string, args json.RawMessage) Finding {
	key := keyOf(name, args)
	free := g.off || g.free > 0
	if !free {
		if found := g.find(name, key); found.Verdict != control.Allow {
			return found
		}
	}
	if g.free > 0 {
		g.free--
	}
	g.open = append(g.open, call{key: key, free: free})
	return Finding{Verdict: control.Allow}
}

func (g *Guard) find(name, key string) Finding {
	calls := g.counted()
	if n := streak(calls, key) + 1; n >= g.threshold() {
		return looping("same", n, said.That("%s was called %d times in a row with the same arguments", control.Title(name, 120), n))
	}
	if size := cycle(append(calls, call{key: key})); size > 0 {
		return looping("cycle", cycleRepeats, said.That("the same %d calls were repeated %d times", size, cycleRepeats))
	}
	if g.errs >= sameErrorThreshold {
		return looping("error", g.errs, said.That("the same error came back %d times in a row", g.errs))
	}
	return Finding{Verdict: control.Allow}
}

// counted are the calls so far, those without a result last.
func (g *Guard) counted() []call {
	calls := slices.Clone(g.history)
	for _, c := range g.open {
		if !c.free {
			calls = append(calls, c)
		}
	}
	return calls
}

func looping(kind string, count int, what said.Text) Finding {
	return Finding{
		Verdict: control.Ask, Kind: kind, Count: count,
		Reason: said.That("The run may be going in circles: %s.", what),
		Stop:   said.That("Stopped: %s. Change the instruction or split the task, then send it again.", what),
	}
}

// Returned says what came of the oldest call that has no result yet. output is
// what tells one result from another: the text, the error where it failed, or a
// hash of the whole where the text was cut. note is not empty one call before the
// guard would ask: it is added to the end of the result.
func (g *Guard) Returned(name, output string, failed bool) (note string) {
	if len(g.open) == 0 {
		return ""
	}
	c := g.open[0]
	g.open = g.open[1:]
	if c.free {
		return ""
	}
	c.output = hashText(output)
	g.history = append(g.history, c)
	if keep := max(maxCycle*cycleRepeats, g.threshold()) + 1; len(g.history) > keep {
		g.history = g.history[len(g.history)-keep:]
	}
	switch {
	case !failed:
		g.errHash, g.errs = "", 0
	case g.errHash == c.output:
		g.errs++
	default:
		g.errHash, g.errs = c.output, 1
	}
	if g.off {
		return ""
	}
	if n := streak(g.history, c.key); n == g.threshold()-1 {
		return fmt.Sprintf("Note: this is call %d in a row of %s with the same arguments and the same result. One more stops the run; do something else.", n, control.Title(name, 120))
	}
	if g.errs == sameErrorThreshold-1 {
		return fmt.Sprintf("Note: the same error came back %d times in a row. Once more stops the run; do something else.", g.errs)
	}
	if size := almostCycle(g.history); size > 0 {
		return fmt.Sprintf("Note: the same %d calls are being repeated with the same results. Going on stops the run; do something else.", size)
	}
	return ""
}

// Forget is Returned for a call that a person cancelled: that says nothing about
// the model.
func (g *Guard) Forget() {
	if len(g.open) > 0 {
		g.open = g.open[1:]
	}
}

// Once follows a yes: every counter starts again and the next 3 calls are free,
// the one that was asked about included.
func (g *Guard) Once() {
	g.history, g.errHash, g.errs, g.free = nil, "", 0, freeCalls
	for i := range g.open {
		g.open[i].free = true
	}
}

// streak counts how often key was just called with one and the same output: a
// poll whose output changes starts again at each change. An output that is not
// known yet counts as unchanged.
func streak(calls []call, key string) int {
	n, output := 0, ""
	for i := len(calls) - 1; i >= 0 && calls[i].key == key; i-- {
		if o := calls[i].output; o != "" {
			if output != "" && o != output {
				break
			}
			output = o
		}
		n++
	}
	return n
}

// cycle finds a cycle of 2–4 calls that the last call completes for the fourth
// time with unchanged outputs; it returns its size.
func cycle(calls []call) int { return cycleOf(calls, 0) }

// almostCycle finds a cycle that one more call can complete.
func almostCycle(calls []call) int { return cycleOf(calls, 1) }

func cycleOf(calls []call, missing int) int {
	for size := 2; size <= maxCycle; size++ {
		if n := size*cycleRepeats - missing; len(calls) >= n && repeats(calls[len(calls)-n:], size) {
			return size
		}
	}
	return 0
}

// repeats says that calls go round in size steps, that not all of them are the
// same one, and that no output of a step changed. An output that is not known
// yet counts as unchanged.
func repeats(calls []call, size int) bool {
	same := true
	for i, c := range calls {
		if i >= size && (c.key != calls[i-size].key || c.output != "" && c.output != calls[i-size].output) {
			return false
		}
		same = same && c.key == calls[0].key
	}
	return !same
}
