package main

import (
	"fmt"
	"os"

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
		return p.fail("%s", title(err.Error(), 400))
	}
	w := p.wiring()
	back, err := p.openWith(w, nil, &terminal{out: p.out})
	if err != nil {
		return p.fail("%v", err)
	}
	defer closeBackend(back)
	s, err := w.bundles.restore(b)
	if err != nil {
		return p.fail("import %s: %s", title(words[0], 200), title(err.Error(), 400))
	}
	var out []shown
	events := 0
	for _, l := range b.Logs {
		events += len(l.Lines)
	}
	out = append(out, p.words("Session %s: %s\n", s.ID(), title(s.Info().Title, 80)))
	out = append(out, p.words("From session %s of a bundle: %d events, %d sub-agents, %d blobs and artifacts.\n", title(b.Session, 40), events, len(b.Logs)-1, len(b.Parts)))
	for _, l := range b.LeftOut {
		out = append(out, p.words("Not in the bundle: %s %s: %s", title(l.Kind, 20), title(l.Name, 100), title(l.Reason, 100))+"\n")
	}
	out = append(out, p.words("Its text comes from elsewhere: nothing is allowed for it, and what acts outside is asked about.\n"))
	return p.show(join(out, ""))
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
