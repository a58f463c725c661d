package compaction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Short is an item as layer one shows it: results up to the one with this seq are
// there by name alone, with the artifact that has them, or their first line where there
// is none. Protected results stay, and those that are not longer than their name.
func Short(it *history.Item, upTo int64) history.Item {
	if it.Result == nil || it.Seq > upTo || it.Pruned || protected(it) {
		return *it
	}
	text := executed(it.Result)
	if len(text) >= len(it.Result.Text) {
		return *it
	}
	short := *it
	short.Result = &history.ToolReturned{CallID: it.Result.CallID, Tool: it.Result.Tool, Status: history.StatusCompleted, Text: text}
	short.Size = history.SizeOf(text).Framed(0)
	return short
}

func executed(r *history.ToolReturned) string {
	if r.Artifact != nil {
		return fmt.Sprintf("[executed: %s] full output: %s", r.Tool, r.Artifact.Path)
	}
	return fmt.Sprintf("[executed: %s] %s", r.Tool, firstLine(r.Text))
}

// mostFirst bounds the first line of a result that is nowhere else, in bytes.
const mostFirst = 120

// firstLine is the first line of a text that has something in it: it often says how
// the call went, and nobody can look it up where there is no artifact.
func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimRight(line, "\r")
	if len(line) > mostFirst {
		line, more = strings.ToValidUTF8(line[:mostFirst], ""), true
	}
	if more {
		line += " …"
	}
	return line
}

// Micro is layer one of a conversation: how far it has come. The conversation is taken in
// as it grows. The zero Micro shows everything whole.
type Micro struct {
	upTo   int64    // results up to this seq are shown by name alone
	taken  int      // items
	edits  int      // of the conversation, when they were taken in
	behind []result // those behind upTo
	seen   int      // so many of them, the first, the model has seen: they are before its last answer
}

// result is one that is shown whole.
type result struct {
	seq    int64
	gained history.Size // by showing by name this one and those that were behind upTo before it
}

// UpTo is the seq up to which results are shown by name alone; 0 is none.
func (m *Micro) UpTo() int64 { return m.upTo }

// Resume goes on from where the conversation was shortened to before, in another process
// maybe: the beginning of its next request is then that of its last one.
func (m *Micro) Resume(upTo int64) {
	if m.taken == 0 {
		m.upTo = max(m.upTo, upTo)
	}
}

// Take takes in what was added to a conversation. edits says how often those before
// were made others.
func (m *Micro) Take(items []history.Item, edits int) {
	if edits != m.edits {
		*m = Micro{upTo: m.upTo, edits: edits}
	}
	for ; m.taken < len(items); m.taken++ {
		it := &items[m.taken]
		switch {
		case it.Answer != nil:
			m.seen = len(m.behind)
		case it.Result != nil && it.Seq > m.upTo:
			gain := it.Size.Minus(Short(it, it.Seq).Size)
			if n := len(m.behind); n > 0 {
				gain = gain.Plus(m.behind[n-1].gained)
			}
			m.behind = append(m.behind, result{it.Seq, gain})
		}
	}
}

// next is how many of the results behind the boundary layer one may shorten: none
// of the newest keep, and none that the model has not seen yet.
func (m *Micro) next(keep int) int { return max(min(len(m.behind)-keep, m.seen), 0) }

// Advance moves the boundary on, where the conversation has grown so far that it is wanted
// and the step gains enough. It goes in steps, so that the beginning of one request is
// that of the one before it. Where force says so a small gain is enough, since the next layers
// cost more; but not the smallest, for which all that follows would be read anew.
func (m *Micro) Advance(keep int, b Bounds, used int64, force bool, tokens Measure) {
	n := m.next(keep)
	if n == 0 || !force && used <= b.Micro && b.Micro > 0 {
		return
	}
	gained := m.behind[n-1].gained
	least := b.Step
	if force {
		least = b.Least
	}
	if gain := tokens(gained); gain <= 0 || gain < least {
		return
	}
	m.upTo = m.behind[n-1].seq
	m.behind = slices.Clone(m.behind[n:])
	for i := range m.behind {
		m.behind[i].gained = m.behind[i].gained.Minus(gained)
	}
	m.seen -= n
}

// protected says that a result stays as it is in layers one and two: what others
// did in the model's name, what it changed, what it planned, and what is not text
// alone.
func protected(it *history.Item) bool {
	switch it.Result.Tool {
	case "task", "write", "edit", "move", "delete", "apply_patch", "skill":
		return true
	}
	return strings.HasPrefix(it.Result.Tool, "tasks_") || len(it.Result.Images) > 0 || it.Data
}
