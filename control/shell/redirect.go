package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/control/paths"
	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// redirect notes what a redirection reads or writes.
func (r *reader) redirect(red *syntax.Redirect, sc *scope, depth int) {
	r.seen[red] = true
	if red.Hdoc != nil {
		r.word(red.Hdoc, sc, depth)
	}
	v := r.word(red.Word, sc, depth)
	domain := "edit"
	switch red.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	case syntax.DplIn, syntax.DplOut:
		if text, ok := v.Text(); ok && paths.IsDescriptor(text) {
			return
		}
	case syntax.RdrIn:
		domain = "read"
	}
	if v.unknown || v.wild() || v.braces {
		r.s.AddUncertain(said.That("a redirection goes to a file that is only known when it runs"))
	}
	text, ok := v.Text()
	if !ok || text == "" {
		return
	}
	if strings.HasPrefix(text, "/dev/tcp/") || strings.HasPrefix(text, "/dev/udp/") {
		r.s.Network = true
		r.s.AddUncertain(said.That("a redirection opens a network connection"))
	}
	if domain == "edit" && r.at.isDevice(text, sc) {
		r.m.block("writing to the block device " + text)
	}
	r.s.use(Use{Domain: domain, Word: text, Redirect: true})
	if red.Op == syntax.RdrInOut {
		r.s.use(Use{Domain: "read", Word: text, Redirect: true})
	}
}

// feedsInput says that a redirection gives the command something to read.
func feedsInput(redirs []*syntax.Redirect) bool {
	for _, red := range redirs {
		switch red.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			return true
		}
	}
	return false
}
