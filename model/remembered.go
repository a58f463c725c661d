package model

import (
	"maps"
	"sync"
	"time"
)

// place is what is remembered about: a model at an address.
type place struct{ url, model string }

// memory is what was learned about places. It lives as long as the process.
type memory struct {
	mu    sync.Mutex // guards notes
	notes map[place]*note
}

// note is what was learned about a place.
type note struct {
	quirks    map[string]bool
	coolUntil time.Time // until then others are asked first
	why       Kind      // of the failure that it rests from
	window    int64     // that an overflow text named, or a cut prompt showed
	keys      map[string]time.Time
	reports   reports
}

// with reads or changes the note about a place.
func (m *memory) with(at place, do func(*note)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.notes[at]
	if n == nil {
		n = &note{quirks: map[string]bool{}, keys: map[string]time.Time{}}
		if m.notes == nil {
			m.notes = map[place]*note{}
		}
		m.notes[at] = n
	}
	do(n)
}

// quirks are what a place is known to refuse: by its preset or the configuration,
// and by what it said.
func (m *memory) quirks(at place, known []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range known {
		all[name] = true
	}
	m.with(at, func(n *note) { maps.Copy(all, n.quirks) })
	return all
}

func (m *memory) learnQuirk(at place, name string) {
	m.with(at, func(n *note) { n.quirks[name] = true })
}

func (m *memory) learnWindow(at place, window int64) {
	m.with(at, func(n *note) { n.window = window })
}

// saidWindow is the window that an overflow text named, or a cut prompt showed; 0 if none did.
func (m *memory) saidWindow(at place) (window int64) {
	m.with(at, func(n *note) { window = n.window })
	return window
}

// rest asks others first for a while.
func (m *memory) rest(at place, until time.Time, why Kind) {
	m.with(at, func(n *note) { n.coolUntil, n.why = until, why })
}

// cooldown is why a place cools down, "" if it does not.
func (m *memory) cooldown(at place) (why Kind) {
	m.with(at, func(n *note) {
		if n.coolUntil.After(time.Now()) {
			why = n.why
		}
	})
	return why
}

// restKey asks with other keys first for a while.
func (m *memory) restKey(at place, key string, until time.Time) {
	m.with(at, func(n *note) { n.keys[key] = until })
}

// restedKeys puts the keys that failed a moment ago behind the others.
func (m *memory) restedKeys(at place, keys []string) (sorted []string) {
	now := time.Now()
	m.with(at, func(n *note) { sorted = tiredLast(keys, func(key string) bool { return n.keys[key].After(now) }) })
	return sorted
}

// tiredLast puts those of all that are tired behind the others.
func tiredLast[T any](all []T, tired func(T) bool) []T {
	var fresh, last []T
	for _, one := range all {
		if tired(one) {
			last = append(last, one)
		} else {
			fresh = append(fresh, one)
		}
	}
	return append(fresh, last...)
}
