package testclient

import (
	"fmt"
	"maps"
	"slices"
)

// logCheck goes through one log from its first line to its last.
type logCheck struct {
	at       int
	open     bool // the process was killed behind the last line
	child    bool
	problems []string

	runs    map[string]runState
	items   map[string]string // what waits in the queue, by its run
	lastRun string
	made    map[string]bool // calls of all assistant messages
	waiting []string        // calls of the last of them without a result, in order
	asked   int             // line of that message
	after   int64           // a child's last afterSeq
	calls   *callOrder
}

type runState int

const (
	unknownRun runState = iota
	queuedRun
	openRun
	endedRun
)

func number(n *int64) string {
	if n == nil {
		return "absent"
	}
	return fmt.Sprint(*n)
}

func (c *logCheck) bad(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf("line %d ", c.at)+fmt.Sprintf(format, args...))
}

func (c *logCheck) event(e event) {
	c.place(e)
	if c.runs[e.RunID] == endedRun {
		c.bad("%s belongs to run %s, which has ended", e.Type, e.RunID)
	}
	switch e.Type {
	case "run.queued":
		again := c.runs[e.RunID] == queuedRun && e.body.ItemID != "" && e.body.ItemID == c.items[e.RunID] // while it waits: other words
		if c.runs[e.RunID] != unknownRun && !again {
			c.bad("run %s is queued and is known already", e.RunID)
		}
		c.items[e.RunID] = e.body.ItemID
		c.runs[e.RunID] = queuedRun
	case "run.started":
		if c.runs[e.RunID] == openRun {
			c.bad("run %s starts twice", e.RunID)
		}
		if c.runs[c.lastRun] == openRun && c.lastRun != e.RunID {
			c.bad("run %s starts while run %s is open", e.RunID, c.lastRun)
		}
		c.closeMessage(e.Type)
		c.runs[e.RunID], c.lastRun = openRun, e.RunID
	case "run.ended":
		c.ended(e)
	case "message.assistant":
		c.closeMessage(e.Type)
		c.asked = c.at
		for _, call := range e.body.Calls {
			if c.made[call.CallID] {
				c.bad("call id %q was used before", call.CallID)
			}
			c.made[call.CallID] = true
			c.waiting = append(c.waiting, call.CallID)
		}
	case "context.compacted":
		c.closeMessage(e.Type)
		if b := e.body; b.Before < 0 || b.After < 0 || b.OK && b.After*10 > b.Before*9 {
			c.bad("a summary makes %d tokens of %d", b.After, b.Before)
		}
	case "tool.returned":
		c.returned(e.body.CallID)
	}
	for _, bad := range c.calls.event(e) {
		c.bad("%s", bad)
	}
}

// place checks afterSeq: the lines of a sub-agent say where the root was, and
// the root never goes back.
func (c *logCheck) place(e event) {
	switch {
	case !c.child && e.AfterSeq != nil:
		c.bad("%s carries afterSeq, which only a sub-agent's line does", e.Type)
	case c.child && e.AfterSeq == nil:
		c.bad("%s of a sub-agent carries no afterSeq", e.Type)
	case c.child && *e.AfterSeq < c.after:
		c.bad("afterSeq %d after %d: the root does not go back", *e.AfterSeq, c.after)
	case c.child:
		c.after = *e.AfterSeq
	}
}

// ended takes the end of a run, or of a prompt that was dropped from the queue
// while another run may be at work.
func (c *logCheck) ended(e event) {
	switch c.runs[e.RunID] {
	case openRun:
		c.closeMessage(e.Type)
	case queuedRun:
		if e.body.StopReason != "cancelled" {
			c.bad("run %s ends %q and never started: only a cancelled one may", e.RunID, e.body.StopReason)
		}
	default:
		c.bad("run %s ends and was not open", e.RunID)
	}
	c.runs[e.RunID] = endedRun
}

// returned takes the result of a call, which is in call order. What is no
// part of the conversation (steering, approvals, changed files, sub-agents) may
// are between: only the model's view has to be direct.
func (c *logCheck) returned(id string) {
	at := slices.Index(c.waiting, id)
	switch {
	case at == 0:
		c.waiting = c.waiting[1:]
	case at > 0:
		c.bad("result of call %q stands before that of %q", id, c.waiting[0])
		c.waiting = slices.Delete(c.waiting, at, at+1)
	case !c.made[id] && !c.calls.known(id):
		c.bad("result of call %q, which nobody made", id)
	}
}

func (c *logCheck) closeMessage(by string) {
	if len(c.waiting) > 0 {
		c.bad("%s, but the calls %q of line %d have no result", by, c.waiting, c.asked)
	}
	c.waiting = nil
}

// end looks at what is still open. Of a process that was killed that may be its
// last run with its calls, and nothing else.
func (c *logCheck) end() {
	for _, id := range slices.Sorted(maps.Keys(c.runs)) {
		if c.runs[id] == openRun && !(c.open && id == c.lastRun) {
			c.bad("run %s has no run.ended", id)
		}
	}
	if c.open {
		return
	}
	c.closeMessage("the log ends")
	for _, bad := range c.calls.end() {
		c.bad("%s", bad)
	}
}
