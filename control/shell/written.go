package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// wroteFile remembers what a statement plainly writes into a file, for shells
// that run it later.
func (r *reader) wroteFile(s *syntax.Stmt, sc *scope) {
	for _, red := range s.Redirs {
		switch red.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll:
		default:
			continue
		}
		bare := &syntax.Stmt{Position: s.Position, Cmd: s.Cmd}
		for _, other := range s.Redirs {
			if other.Op == syntax.Hdoc || other.Op == syntax.DashHdoc || other.Op == syntax.WordHdoc {
				bare.Redirs = append(bare.Redirs, other)
			}
		}
		if text, ok := r.output(bare, sc.stdin, sc.stdin != "", sc, 0); ok {
			r.keepFile(r.value(red.Word, sc).text, text, sc)
		}
	}
}

func (r *reader) keepFile(name, text string, sc *scope) {
	if p := r.resolve(name, sc); p != "" && len(r.m.files) < maxValues && len(text) < MaxChars {
		r.m.files[p] += text
	}
}

// fileText is what the text itself wrote into a file.
func (r *reader) fileText(a arg, sc *scope) string {
	if a.feeds != "" || len(r.m.files) == 0 || a.text == "" {
		return a.feeds
	}
	return r.m.files[r.resolve(a.text, sc)]
}
