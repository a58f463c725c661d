package compaction

import "strings"

// A text repeats itself where its end is the same piece over and over, or where
// one long line makes up half of it.
const (
	repeatSpan  = 2 << 10 // bytes at the end that are looked at
	repeatTimes = 6       // a piece that is there so often
	lineBytes   = 40      // a shorter line may be in a list or in code
	lineTimes   = 10
)

// Repeats says that a text that is being written goes in circles, so that it is
// not worth to wait for its end.
func Repeats(text string) bool {
	return endRepeats(text) || lineRepeats(text)
}

// endRepeats finds the shortest period of the end of a text.
func endRepeats(text string) bool {
	if len(text) < repeatSpan {
		return false
	}
	end := text[len(text)-repeatSpan:]
	border := make([]int, len(end)) // of every beginning, its longest end that is also its beginning
	for i := 1; i < len(end); i++ {
		k := border[i-1]
		for k > 0 && end[i] != end[k] {
			k = border[k-1]
		}
		if end[i] == end[k] {
			k++
		}
		border[i] = k
	}
	period := len(end) - border[len(end)-1]
	return period*repeatTimes <= len(end)
}

func lineRepeats(text string) bool {
	times := map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) < lineBytes {
			continue
		}
		if times[line]++; times[line] >= lineTimes && times[line]*len(line)*2 > len(text) {
			return true
		}
	}
	return false
}
