package main

import (
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// sessions lists the sessions of a directory, newest first, or those that a search
// finds in it.
func (p *program) sessions(words []string) int {
	w := p.wiring()
	w.looking = true
	back, err := p.openWith(w, words, &terminal{out: p.out})
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	all, err := back.Sessions.List(store.Query{Text: p.query, Children: p.children})
	if err != nil {
		return p.fail("%v", err)
	}
	if len(all) == 0 && p.query != "" {
		return p.show(showf("No session here has %q in its title, key, agent, first or last prompt.\n", title(p.query, 80)))
	}
	if len(all) == 0 {
		return p.show("No sessions here yet.\n")
	}
	rows := [][]shown{{"ID", "STATE", "UPDATED", "TITLE"}}
	for _, s := range all {
		rows = append(rows, []shown{title(s.ID, 0), showf("%s", s.State), showf("%s", s.UpdatedAt), title(s.Title, 80)})
	}
	return p.show(aligned(rows))
}
