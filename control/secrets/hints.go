package secrets

import (
	"slices"
	"sync"
)

// hintMatcher finds every hint in one pass: a state for each beginning of a hint,
// the accepting ones last.
type hintMatcher struct {
	hints     []string
	shape     []int // of hint, -1 for those that are no run
	next      []uint16
	accepting int
	ends      [][]int // by state - accepting: the hints that end there
}

var shapeHints = sync.OnceValue(newHintMatcher)

func newHintMatcher() *hintMatcher {
	m := &hintMatcher{}
	for k, sh := range shapes() {
		for _, h := range sh.hints {
			m.hints, m.shape = append(m.hints, h), append(m.shape, k)
		}
	}
	for _, h := range []string{hintBegin, hintEnd, hintURL, hintCut} {
		m.hints, m.shape = append(m.hints, h), append(m.shape, -1)
	}
	var names []string
	names, m.accepting = hintStates(m.hints)
	m.next = hintSteps(names)
	m.ends = make([][]int, len(names)-m.accepting)
	byHint := map[string][]int{}
	for h, hint := range m.hints {
		byHint[hint] = append(byHint[hint], h)
	}
	for i, name := range names[m.accepting:] {
		for from := range name { // the longest first
			m.ends[i] = append(m.ends[i], byHint[name[from:]]...)
		}
	}
	return m
}

// hintStates are the beginnings of hints. Those that end with a hint come last, from
// accepting on.
func hintStates(hints []string) (names []string, accepting int) {
	known, hint := map[string]bool{}, map[string]bool{}
	for _, h := range hints {
		hint[h] = true
	}
	var last []string
	for _, h := range hints {
		for n := range len(h) + 1 {
			name := h[:n]
			if known[name] {
				continue
			}
			known[name] = true
			ends := false // with a hint
			for from := range name {
				ends = ends || hint[name[from:]]
			}
			if ends {
				last = append(last, name)
			} else {
				names = append(names, name)
			}
		}
	}
	return append(names, last...), len(names)
}

// hintSteps are the transitions between states, by state and byte: to the longest
// state that the text so far ends with. Where no hint goes on, the step is that of the
// longest shorter state with the same end, which was made before.
func hintSteps(names []string) []uint16 {
	if len(names) > 1<<16 {
		panic("secrets: too many hints of secrets")
	}
	at := make(map[string]int, len(names))
	order := make([]int, len(names)) // shorter ones first
	for state, name := range names {
		at[name], order[state] = state, state
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(names[a]) - len(names[b]) })
	longer := make([][]int, len(names)) // by state: those with one letter more
	for state, name := range names {
		if name != "" {
			before := at[name[:len(name)-1]]
			longer[before] = append(longer[before], state)
		}
	}
	next := make([]uint16, len(names)<<8)
	for i := range 256 {
		next[at[""]<<8|i] = uint16(at[""])
	}
	shorter := make([]int, len(names))
	for _, state := range order {
		row := next[state<<8:][:256]
		if name := names[state]; len(name) > 0 {
			shorter[state] = at[""]
			if n := len(name) - 1; n > 0 {
				shorter[state] = int(next[shorter[at[name[:n]]]<<8|int(name[n])])
			}
			copy(row, next[shorter[state]<<8:][:256])
		}
		for _, to := range longer[state] {
			row[names[to][len(names[state])]] = uint16(to)
		}
	}
	return next
}
