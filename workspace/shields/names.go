package shields

import "sync"

// mostVerdicts is of how many names it is kept what they are: those that a look at two
// folders sees.
const mostVerdicts = 2 * shieldEntries

// verdicts keeps what was said of names. Each command looks at the same ones twice, and
// what a name is follows from it alone.
type verdicts struct {
	of func(object string) bool

	mu    sync.Mutex // guards known; a leaf
	known map[string]bool
}

// kept is a function that answers the same, and is asked once about each name.
func kept(of func(object string) bool) func(object string) bool {
	if of == nil {
		return nil
	}
	return (&verdicts{of: of, known: map[string]bool{}}).is
}

func (v *verdicts) is(object string) bool {
	v.mu.Lock()
	is, known := v.known[object]
	v.mu.Unlock()
	if known {
		return is
	}
	is = v.of(object)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= mostVerdicts {
		clear(v.known)
	}
	v.known[object] = is
	return is
}
