package search

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
)

// datedMost is how many files are asked for their time. Where there are more, nobody
// reads the list for what is new in it, and asking is most of the work.
const datedMost = 1000

// Newest keeps the newest of the files it is given, from several goroutines, and
// counts all. Of more than 1000 it keeps the first by path.
type Newest struct {
	most int

	mu    sync.Mutex // guards everything below
	files []named
	all   int
}

type named struct {
	rel   string
	entry fs.DirEntry
	at    time.Time
}

// KeepNewest has none yet, and keeps at most so many.
func KeepNewest(most int) *Newest { return &Newest{most: most} }

// Add takes in a file.
func (n *Newest) Add(rel string, entry fs.DirEntry) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all++
	if n.files = append(n.files, named{rel: rel, entry: entry}); len(n.files) > datedMost {
		n.keep(byPath)
	}
}

// Files are those that were kept and are still there, the newest first, and how many there
// were in all. dated is false where these were too many: the files are in the order of their paths.
func (n *Newest) Files() (rels []string, all int, dated bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	order := byPath
	if dated = n.all <= datedMost; dated {
		n.date()
		order = func(a, b named) int { return cmp.Or(b.at.Compare(a.at), strings.Compare(a.rel, b.rel)) }
	}
	n.keep(order)
	for _, f := range n.files {
		rels = append(rels, f.rel)
	}
	return rels, n.all, dated
}

// date looks up when each file was changed last, and forgets those that are gone. mu is held.
func (n *Newest) date() {
	here := n.files[:0]
	for _, f := range n.files {
		info, err := f.entry.Info()
		if err != nil {
			n.all--
			continue
		}
		f.at = info.ModTime()
		here = append(here, f)
	}
	n.files = here
}

func byPath(a, b named) int { return hitOrder(a.rel, b.rel) }

// keep sorts the files and drops what is over the most. mu is held.
func (n *Newest) keep(order func(a, b named) int) {
	slices.SortFunc(n.files, order)
	clear(n.files[min(n.most, len(n.files)):])
	n.files = n.files[:min(n.most, len(n.files))]
}
