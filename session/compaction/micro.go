package compaction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// Shortened is the conversation as layer one shows it: results up to the one
// with this seq are there by name alone, with the artifact that has them, or their
// first line where there is none. Protected results stay, and those that are not longer than their name.
// The items given stay as they are.
func Shortened(items []history.Item, upTo int64) []history.Item {
	if upTo == 0 {
		return items
	}
	out := slices.Clone(items)
	for i, it := range items {
		if it.Result == nil || it.Seq > upTo || it.Pruned || protected(it) {
			continue
		}
		if text := executed(it.Result); len(text) < len(it.Result.Text) {
			out[i].Result = &history.ToolReturned{CallID: it.Result.CallID, Tool: it.Result.Tool, Status: history.StatusCompleted, Text: text}
			out[i].Size = history.SizeOf(text).Framed(0)
		}
	}
	return out
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

// shortenTo is the seq of the newest result that layer one may shorten: not one
// of the newest keep, and none that the model has not seen yet, which are those
// behind its last answer. 0: there is none.
func shortenTo(items []history.Item, keep int) int64 {
	seen := false
	for _, it := range slices.Backward(items) {
		switch {
		case it.Answer != nil:
			seen = true
		case it.Result == nil:
		case keep > 0:
			keep--
		case seen:
			return it.Seq
		}
	}
	return 0
}

// Advance is the next boundary of layer one, which has been at from: further,
// where the conversation has grown so far that it is wanted and the step gains
// enough; else from itself. It goes in steps, so that the beginning of one
// request is that of the one before it. Where force says so every gain is
// enough: the next layers cost more.
func Advance(items []history.Item, from int64, keep int, b Bounds, used int64, force bool, tokens Measure) int64 {
	to := shortenTo(items, keep)
	if to <= from || !force && used <= b.Micro && b.Micro > 0 {
		return from
	}
	gain := tokens(total(Shortened(items, from))) - tokens(total(Shortened(items, to)))
	if gain <= 0 || !force && gain < b.Step {
		return from
	}
	return to
}

func total(items []history.Item) history.Size {
	var s history.Size
	for _, it := range items {
		s = s.Plus(it.Size)
	}
	return s
}

// protected says that a result stays as it is in layers one and two: what others
// did in the model's name, what it changed, what it planned, and what is not text
// alone.
func protected(it history.Item) bool {
	switch it.Result.Tool {
	case "task", "write", "edit", "move", "delete", "apply_patch", "skill":
		return true
	}
	return strings.HasPrefix(it.Result.Tool, "tasks_") || len(it.Result.Images) > 0 || it.Data
}
