package shell

import "mvdan.cc/sh/v3/syntax"

func (r *reader) subshell(list []*syntax.Stmt, sc *scope, depth int) {
	inner := sc.copied()
	inner.stdin = nil
	for _, s := range list {
		if call, ok := s.Cmd.(*syntax.CallExpr); ok && r.seen[call] {
			continue
		}
		r.stmt(s, &inner, depth+1)
	}
}

// word reads a word: its value, and the commands in its substitutions.
func (r *reader) word(w *syntax.Word, sc *scope, depth int) value {
	if w == nil {
		return value{}
	}
	r.substitutions(w, sc, depth)
	return r.value(w, sc)
}

// substitutions reads the commands inside $(…), `…` and <(…) of a word.
func (r *reader) substitutions(w *syntax.Word, sc *scope, depth int) {
	if len(w.Parts) == 1 {
		switch w.Parts[0].(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			return
		}
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		r.arithmetic(n, sc, depth)
		return !r.substitution(n, sc, depth)
	})
}

// substitution reads the commands of n where n is $(…), `…` or <(…), and says
// whether it was one.
func (r *reader) substitution(n syntax.Node, sc *scope, depth int) bool {
	switch n := n.(type) {
	case *syntax.CmdSubst:
		r.subshell(n.Stmts, sc, depth)
	case *syntax.ProcSubst:
		r.subshell(n.Stmts, sc, depth)
	default:
		return false
	}
	return true
}
