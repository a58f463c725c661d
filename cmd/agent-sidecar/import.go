package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/session/bundle"
)

// importBundle makes a new session out of a bundle. Nothing of it runs, and nothing
// is written but the new session's own files.
func (p *program) importBundle(words []string) int {
	if len(words) == 0 {
		return p.misused("import: which file?")
	}
	b, err := p.readBundle(words[0])
	if err != nil {
		return p.fail("%s", control.Title(err.Error(), 400))
	}
	w := p.wiring()
	back, err := p.openWith(w, nil, &terminal{out: p.out})
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	s, err := w.bundles.restore(b)
	if err != nil {
		return p.fail("import %s: %s", control.Title(words[0], 200), control.Title(err.Error(), 400))
	}
	var out bytes.Buffer
	events := 0
	for _, l := range b.Logs {
		events += len(l.Lines)
	}
	fmt.Fprintf(&out, "Session %s: %s\n", s.ID(), control.Title(s.Info().Title, 80))
	fmt.Fprintf(&out, "From session %s of a bundle: %d events, %d sub-agents, %d blobs and artifacts.\n", control.Title(b.Session, 40), events, len(b.Logs)-1, len(b.Parts))
	for _, l := range b.LeftOut {
		fmt.Fprintf(&out, "Not in the bundle: %s %s: %s\n", control.Title(l.Kind, 20), control.Title(l.Name, 100), control.Title(l.Reason, 100))
	}
	fmt.Fprintln(&out, "Its text comes from elsewhere: nothing is allowed for it, and what acts outside is asked about.")
	return p.show(out.Bytes())
}

// readBundle reads and checks a file, "-" for stdin.
func (p *program) readBundle(name string) (*bundle.Bundle, error) {
	file := p.in
	if name != "-" {
		var err error
		if file, err = os.Open(name); err != nil {
			return nil, err
		}
		defer file.Close()
	}
	b, err := bundle.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}
