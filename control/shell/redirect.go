package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect notes what a redirection reads or writes (control §2, ruling 29).
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
		if isDescriptor(v.text) {
			return
		}
	case syntax.RdrIn:
		domain = "read"
	}
	if v.unknown || v.glob || v.braces {
		r.s.Doubt("a redirection goes to a file that is only known when it runs")
	}
	if strings.Contains(v.text, unknownPart) || v.text == "" {
		return
	}
	if strings.HasPrefix(v.text, "/dev/tcp/") || strings.HasPrefix(v.text, "/dev/udp/") {
		r.s.Network = true
		r.s.Doubt("a redirection opens a network connection")
	}
	if domain == "edit" && isBlockDevice(r.resolve(v.text, sc)) {
		r.block("writing to the block device " + v.text)
	}
	r.s.Uses = append(r.s.Uses, Use{Domain: domain, Word: v.text, Redirect: true})
	if red.Op == syntax.RdrInOut {
		r.s.Uses = append(r.s.Uses, Use{Domain: "read", Word: v.text, Redirect: true})
	}
}

func isDescriptor(s string) bool {
	s = strings.TrimSuffix(s, "-")
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
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
