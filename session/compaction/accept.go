package compaction

import (
	"errors"

	"github.com/agent-sidecar/agent-sidecar/session/history"
)

// MostFailures summaries in a row that failed switch automatic ones off.
const MostFailures = 3

// The ways in which a summary fails that are not the model's error.
var (
	ErrNothing = errors.New(history.NothingToCompact)
	ErrCalls   = errors.New("the summary has tool calls")
	ErrEmpty   = errors.New("the summary is empty")
	ErrRepeats = errors.New("the summary repeats itself")
	ErrGain    = errors.New("the summary gains less than a tenth")
	ErrEndless = errors.New("the summary did not end")
)

// Gains says that after is at least a tenth smaller than before, in tokens.
func Gains(before, after int64) bool { return (before-after)*10 >= before && before > after }

// MostWords is how long a model is told to be, where so many tokens are free
// beside the prompt and the tools: about a fifth of them, and never a book.
func MostWords(free int64) int64 {
	words := int64(leastWords)
	for words*2 <= free/5*3/4 && words < mostWords {
		words *= 2
	}
	return words
}

const leastWords, mostWords = 100, 3200

// MostCompactions in ChurnWindow model requests are too many: what fills the window
// cannot be summarised away.
const MostCompactions, ChurnWindow = 3, 5

// Churns says that the last of the compactions made before these iterations,
// oldest first, was one too many.
func Churns(at []int) bool {
	n := len(at)
	return n >= MostCompactions && at[n-1]-at[n-MostCompactions] < ChurnWindow
}
