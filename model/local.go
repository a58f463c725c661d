package model

import (
	"context"
	"strings"
	"sync"
	"time"
)

// localWait is how long a server of this machine may take to answer.
const localWait = 200 * time.Millisecond

// FindLocal looks for a model server on the usual ports of this machine, all
// at once and for 200 ms, and names its models. The first one found in the
// order of the presets wins; a server without models is none.
func (c *Catalog) FindLocal(ctx context.Context) (Provider, []string, bool) {
	var local []Provider
	for _, p := range Presets() {
		if isLocalPreset(p) {
			local = append(local, p)
		}
	}
	found := make([]ModelList, len(local))
	ctx, cancel := context.WithTimeout(ctx, localWait)
	defer cancel()
	var all sync.WaitGroup
	for i, p := range local {
		all.Go(func() { found[i] = c.listOf(ctx, p) })
	}
	all.Wait()
	for i, l := range found {
		var names []string
		for _, m := range l.Models {
			if !strings.Contains(strings.ToLower(m.Name), "embed") {
				names = append(names, m.Name)
			}
		}
		if len(names) > 0 {
			return local[i], names, true
		}
	}
	return Provider{}, nil, false
}
