package search

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Newest keeps the newest of the files it is given, from several goroutines, and
// counts all.
type Newest struct {
	most int

	mu   sync.Mutex // guards everything below
	hits []dated
	all  int
}

type dated struct {
	rel string
	at  time.Time
}

// KeepNewest has none yet, and keeps at most so many.
func KeepNewest(most int) *Newest { return &Newest{most: most} }

// Add takes in a file that was changed last at a time.
func (n *Newest) Add(rel string, at time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all++
	if n.hits = append(n.hits, dated{rel, at}); len(n.hits) > 10*n.most {
		n.prune()
	}
}

// Files are those that were kept, the newest first, and how many there were in all.
func (n *Newest) Files() (rels []string, all int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.prune()
	for _, h := range n.hits {
		rels = append(rels, h.rel)
	}
	return rels, n.all
}

// prune sorts the newest to the front and drops the others. mu is held.
func (n *Newest) prune() {
	slices.SortFunc(n.hits, func(a, b dated) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.rel, b.rel))
	})
	n.hits = n.hits[:min(n.most, len(n.hits))]
}
