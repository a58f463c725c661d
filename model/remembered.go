package model

import (
	"slices"
	"time"
)

// place is what is remembered about: a model at an address.
type place struct{ url, model string }

// note is what was learned about a place. It lives as long as the process.
type note struct {
	quirks map[string]bool
	rests  time.Time // until then others are asked first
	why    Kind      // of the failure that it rests from
	window int64     // the smallest that an overflow text named
	keys   map[string]time.Time
}

// note must be called with mu held.
func (c *Catalog) note(at place) *note {
	n := c.notes[at]
	if n == nil {
		n = &note{quirks: map[string]bool{}, keys: map[string]time.Time{}}
		if c.notes == nil {
			c.notes = map[place]*note{}
		}
		c.notes[at] = n
	}
	return n
}

// quirks are what the endpoint is known to refuse: by its preset or the
// configuration, and by what it said.
func (c *Catalog) quirks(e *endpoint) map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]bool{}
	for _, name := range e.known {
		all[name] = true
	}
	for name := range c.note(e.place()).quirks {
		all[name] = true
	}
	return all
}

func (c *Catalog) learnQuirk(at place, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(at).quirks[name] = true
}

func (c *Catalog) learnWindow(at place, window int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(at).window = window
}

// saidWindow is the window that an overflow text named, 0 if none did.
func (c *Catalog) saidWindow(at place) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.note(at).window
}

// rest asks others first for a while.
func (c *Catalog) rest(at place, until time.Time, why Kind) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.note(at)
	n.rests, n.why = until, why
}

// restsFrom is why an endpoint rests, "" if it does not.
func (c *Catalog) restsFrom(at place) Kind {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.note(at); n.rests.After(time.Now()) {
		return n.why
	}
	return ""
}

// rested puts the endpoints that failed a moment ago behind the others.
func (c *Catalog) rested(ends []*endpoint) []*endpoint {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	return tiredLast(ends, func(e *endpoint) bool { return c.note(e.place()).rests.After(now) })
}

// restKey asks with other keys first for a while.
func (c *Catalog) restKey(at place, key string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note(at).keys[key] = until
}

// restedKeys puts the keys that failed a moment ago behind the others.
func (c *Catalog) restedKeys(e *endpoint) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, resting := time.Now(), c.note(e.place()).keys
	return tiredLast(e.keys, func(key string) bool { return resting[key].After(now) })
}

func tiredLast[T any](all []T, tired func(T) bool) []T {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b T) int {
		switch ta, tb := tired(a), tired(b); {
		case ta == tb:
			return 0
		case ta:
			return 1
		}
		return -1
	})
	return sorted
}
