package main

import (
	"github.com/agent-sidecar/agent-sidecar/rpc/locale"
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
		return p.show(p.words("No session here has %q in its title, key, agent, first or last prompt.\n", title(p.query, 80)))
	}
	if len(all) == 0 {
		return p.show(p.words("No sessions here yet.\n"))
	}
	rows := [][]shown{{"ID", p.words("STATE"), p.words("UPDATED"), p.words("TITLE")}}
	for _, s := range all {
		rows = append(rows, []shown{title(s.ID, 0), title(locale.Status(p.locale(), s.State), 0), showf("%s", s.UpdatedAt), title(s.Title, 80)})
	}
	return p.show(aligned(rows))
}
