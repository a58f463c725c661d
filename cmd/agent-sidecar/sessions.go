package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/store"
)

// sessions lists the sessions of a directory, newest first, or those that a search
// finds in it.
func (p *program) sessions(words []string) int {
	back, err := p.openWith(p.wiring(), words, &terminal{out: p.out})
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	all, err := back.Sessions.List(store.Query{Text: p.query, Children: p.children})
	if err != nil {
		return p.fail("%v", err)
	}
	if len(all) == 0 && p.query != "" {
		fmt.Fprintf(p.out, "No session here has %q in its title, key, agent, first or last prompt.\n", control.Title(p.query, 80))
		return 0
	}
	if len(all) == 0 {
		fmt.Fprintln(p.out, "No sessions here yet.")
		return 0
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tSTATE\tUPDATED\tTITLE")
	for _, s := range all {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.ID, s.State, s.UpdatedAt, control.Title(s.Title, 80))
	}
	if err := t.Flush(); err != nil {
		return p.fail("%v", err)
	}
	return 0
}
