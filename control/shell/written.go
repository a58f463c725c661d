package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// wroteFile remembers what a statement plainly writes into a file, for shells
// that run it later.
func (ev *evaluator) wroteFile(s *syntax.Stmt, sc *scope) {
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
		if out, ok := ev.output(bare, sc.stdin, len(sc.stdin) > 0, sc, 0); ok {
			ev.m.keepFile(ev.value(red.Word, sc).Parts, out, sc)
		}
	}
}
