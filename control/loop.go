package control

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// The numbers of control §5. SameToolThreshold is configurable; the others are
// constants (ruling 102).
const (
	DefaultSameToolThreshold = 5
	sameErrorThreshold       = 5
	cycleRepeats             = 4
	maxCycle                 = 4
	freeCalls                = 3       // after a yes
	maxHashedArgs            = 1 << 20 // larger arguments count by name alone (ruling 104)
)

// Loop is what the guard says about a call that has not run.
type Loop struct {
	// Verdict is Allow, or Ask: ask (domain doom_loop) before this call runs;
	// nobody to ask or a no ends the run as doom_loop.
	Verdict Verdict
	Kind    string // "same", "cycle" or "error"
	Count   int    // which consecutive one this call would be
	Reason  string // for the question
	Stop    string // for run.ended, when the answer is no (ruling 65)
}

// LoopGuard notices a run that goes in circles (control §5, rulings 30, 65, 104).
// It is plain state of one run: Before asks about a call, Returned tells what
// came of it, Once follows a yes. The zero LoopGuard has the default threshold.
// It is not safe for concurrent use.
type LoopGuard struct {
	limit   int
	off     bool
	history []loopCall
	free    int
	errHash string
	errs    int
}

// NewLoopGuard returns a guard that asks before the given consecutive identical
// call; 0 means 5, anything else below 2 counts as 2.
func NewLoopGuard(threshold int) *LoopGuard { return &LoopGuard{limit: threshold} }

// Off follows an answer of `always`: nothing more is asked. It is for this
// session and in memory only.
func (g *LoopGuard) Off() { g.off = true }

type loopCall struct {
	key    string
	output string // hash; "" until it is known
}

// LoopKey identifies a call: the tool and the sha256 of its canonical arguments.
func LoopKey(name string, args json.RawMessage) string {
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

func (g *LoopGuard) threshold() int {
	if g.limit == 0 {
		return DefaultSameToolThreshold
	}
	return max(2, g.limit)
}

// Before says whether the call may simply run. It does not change the guard: a
// call counts when Returned is told of it.
func (g *LoopGuard) Before(name string, args json.RawMessage) Loop {
	if g.off || g.free > 0 {
		return Loop{Verdict: Allow}
	}
	key := LoopKey(name, args)
	if n := g.streak(key) + 1; n >= g.threshold() {
		return looping("same", n, fmt.Sprintf("%s was called %d times in a row with the same arguments", name, n))
	}
	if size := g.cycle(key); size > 0 {
		return looping("cycle", cycleRepeats, fmt.Sprintf("the same %d calls were repeated %d times", size, cycleRepeats))
	}
	if g.errs >= sameErrorThreshold {
		return looping("error", g.errs, fmt.Sprintf("the same error came back %d times in a row", g.errs))
	}
	return Loop{Verdict: Allow}
}

func looping(kind string, count int, what string) Loop {
	return Loop{
		Verdict: Ask, Kind: kind, Count: count,
		Reason: "The run may be going in circles: " + what + ".",
		Stop:   "Stopped: " + what + ". Change the instruction or split the task, then send it again.",
	}
}

// Returned counts a call that ran. output is the text of its result, for a failed
// one the error. note is not empty one call before the guard would ask: it is
// added to the end of the result as it stands.
func (g *LoopGuard) Returned(name string, args json.RawMessage, output string, failed bool) (note string) {
	if g.free > 0 {
		g.free--
		return ""
	}
	g.history = append(g.history, loopCall{LoopKey(name, args), hashText(output)})
	if keep := max(maxCycle*cycleRepeats, g.threshold()) + 1; len(g.history) > keep {
		g.history = g.history[len(g.history)-keep:]
	}
	switch {
	case !failed:
		g.errHash, g.errs = "", 0
	case g.errHash == hashText(output):
		g.errs++
	default:
		g.errHash, g.errs = hashText(output), 1
	}
	if g.off {
		return ""
	}
	if n := g.streak(g.history[len(g.history)-1].key); n == g.threshold()-1 {
		return fmt.Sprintf("\n\nNote: this is call %d in a row of %s with the same arguments and the same result. One more stops the run; do something else.", n, name)
	}
	if g.errs == sameErrorThreshold-1 {
		return fmt.Sprintf("\n\nNote: the same error came back %d times in a row. Once more stops the run; do something else.", g.errs)
	}
	if size := g.almostCycle(); size > 0 {
		return fmt.Sprintf("\n\nNote: the same %d calls are being repeated with the same results. Going on stops the run; do something else.", size)
	}
	return ""
}

// Once follows a yes: every counter starts again and the next 3 calls are free,
// the one that was asked about included.
func (g *LoopGuard) Once() {
	g.history, g.errHash, g.errs, g.free = nil, "", 0, freeCalls
}

// streak counts how often key was just called with one and the same output: a
// poll whose output changes starts again at each change.
func (g *LoopGuard) streak(key string) int {
	n := 0
	for i := len(g.history) - 1; i >= 0 && g.history[i].key == key; i-- {
		if n > 0 && g.history[i].output != g.history[i+1].output {
			break
		}
		n++
	}
	return n
}

// cycle finds a cycle of 2–4 calls that this call would complete for the fourth
// time with unchanged outputs; it returns its size.
func (g *LoopGuard) cycle(next string) int {
	for size := 2; size <= maxCycle; size++ {
		if n := size*cycleRepeats - 1; len(g.history) >= n && repeats(append(g.history[len(g.history)-n:len(g.history):len(g.history)], loopCall{key: next}), size) {
			return size
		}
	}
	return 0
}

// almostCycle finds a cycle that the next call can complete.
func (g *LoopGuard) almostCycle() int {
	for size := 2; size <= maxCycle; size++ {
		n := size*cycleRepeats - 1
		if len(g.history) >= n && repeats(g.history[len(g.history)-n:], size) {
			return size
		}
	}
	return 0
}

// repeats says that calls go round in size steps, that not all of them are the
// same one, and that no output of a step changed. An output that is not known
// yet counts as unchanged.
func repeats(calls []loopCall, size int) bool {
	same := true
	for i, c := range calls {
		if i >= size && (c.key != calls[i-size].key || c.output != "" && c.output != calls[i-size].output) {
			return false
		}
		same = same && c.key == calls[0].key
	}
	return !same
}
