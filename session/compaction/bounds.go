package compaction

import "github.com/agent-sidecar/agent-sidecar/session/history"

// Measure counts what a size is for a model, in tokens.
type Measure func(history.Size) int64

// Known is what is known about a window and what is configured about filling it.
// Zero is unknown, or none.
type Known struct {
	Window    int64   // tokens
	MaxInput  int64   // tokens; where given it is the usable window itself
	Reserve   int64   // tokens kept free for the answer; 0 = min(4096, a fifth)
	Trigger   float64 // part of the usable window
	MaxTokens int64   // absolute cap of the trigger
	MaxChars  int64   // the trigger where no window is known
	MicroFrom *int64  // tokens at which layer one starts; nil = half the trigger
}

// Bounds are the numbers that decide for one model, in tokens where their name
// does not say characters.
type Bounds struct {
	Usable   int64 // 0 = the window is not known
	Reserve  int64 // kept free for the answer beside it
	Trigger  int64 // 0 = only characters count
	MaxChars int64 // of the messages without tools; 0 = only tokens count
	Micro    int64 // where layer one starts
	Step     int64 // the least that a step of layer one gains; 0 = every result at once
	Least    int64 // the least that it gains where there is no other room; 0 = any
}

// The bounds of compaction.
const (
	mostReserve  = 4096
	pruneKeeps   = 40_000 // newest tokens of results that pruning leaves
	pruneGains   = 20_000 // the least it must gain
	bytesAToken  = 3      // of the estimate, where only characters are known
	stepsToFull  = 4      // a step of layer one is this part of the trigger
	leastOfFull  = 20     // and this part at least
	mostOfResult = 4      // one result may take this part of what is free
	mostOfBatch  = 2      // all results of one answer together
)

// Bounds works the numbers out.
func (k Known) Bounds() Bounds {
	b := Bounds{Usable: k.usable()}
	b.Trigger = int64(float64(b.Usable) * k.Trigger)
	if b.Usable == 0 {
		b.MaxChars = k.MaxChars
	}
	b.Reserve = max(k.Window-b.Usable, 0)
	if k.MaxTokens > 0 && (b.Trigger == 0 || k.MaxTokens < b.Trigger) {
		b.Trigger = k.MaxTokens
	}
	b.Micro, b.Step, b.Least = b.Room()/2, b.Room()/stepsToFull, b.Room()/leastOfFull
	if k.MicroFrom != nil {
		b.Micro = *k.MicroFrom
	}
	if b.Micro == 0 {
		b.Step = 0
	}
	return b
}

func (k Known) usable() int64 {
	switch {
	case k.MaxInput > 0:
		return k.MaxInput
	case k.Window <= 0:
		return 0
	case k.Reserve > 0:
		return k.Window - min(k.Reserve, k.Window/2)
	}
	return k.Window - min(mostReserve, k.Window/5)
}

// Over says that a conversation of so many tokens and characters is to be made
// smaller.
func (b Bounds) Over(tokens, chars int64) bool {
	return b.Trigger > 0 && tokens > b.Trigger || b.MaxChars > 0 && chars > b.MaxChars
}

// Fits says that a request of so many tokens is within the window, as far as it
// is known.
func (b Bounds) Fits(tokens int64) bool { return b.Usable == 0 || tokens <= b.Usable }

// Holds says that the window has room for a conversation of so many tokens and
// half of what is kept free for the answer. Of an unknown window nobody can say so.
func (b Bounds) Holds(tokens int64) bool { return b.Usable > 0 && tokens <= b.Usable+b.Reserve/2 }

// Room is about how many tokens the trigger is, also where it counts characters.
func (b Bounds) Room() int64 {
	chars := b.MaxChars / bytesAToken
	if b.Trigger == 0 || chars > 0 && chars < b.Trigger {
		return chars
	}
	return b.Trigger
}

// window is what counts as the usable window for parts of it: the real one, or
// what belongs to a trigger of characters or a cap below it.
func (b Bounds) window() int64 {
	if b.Usable > 0 {
		return b.Usable
	}
	return b.Room() * 5 / 4
}

// Message is how many tokens one message of the user may have, where the prompt
// and the tools take fixed; 0 is no limit: the window is not known.
func (b Bounds) Message(fixed int64) int64 {
	if b.Usable == 0 {
		return 0
	}
	return max((b.Usable-fixed)/2, 1)
}

// Share is how many tokens the next result may have of a batch of which left are
// still to come and taken is used, where the prompt and the tools take fixed. A
// result is never so large that nothing but it fits: the summary that makes room
// for it could not take it away before the model has seen it. 0 is no limit: the
// window is not known.
func (b Bounds) Share(fixed, taken int64, left int) int64 {
	if b.Usable == 0 {
		return 0
	}
	free := max(b.Usable-fixed, 0)
	return max(min(free/mostOfResult, (free/mostOfBatch-taken)/int64(max(left, 1))), 1)
}
