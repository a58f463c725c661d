package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declareFunction reads a body where it is declared. Its parameters are
// whatever the text calls it with anywhere.
func (r *reader) declareFunction(c *syntax.FuncDecl, sc *scope, depth int) {
	if c.Name == nil || c.Body == nil {
		return
	}
	f := r.m.functions[c.Name.Value]
	if f == nil {
		f = &function{calls: map[string]bool{}}
		r.m.functions[c.Name.Value] = f
	}
	r.callsIn(c.Body, false, f, c.Name.Value, sc)
	inner := *sc
	inner.maybe, inner.anywhere = true, true
	r.stmt(c.Body, &inner, depth+1)
	if inner.dir != sc.dir {
		f.dir = inner.dir
	}
}

// callsIn notes which names a body calls, and which of them beside itself.
func (ev *evaluator) callsIn(s *syntax.Stmt, beside bool, f *function, self string, sc *scope) {
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			if n.Background && !beside {
				ev.callsIn(n, true, f, self, sc)
				return false
			}
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && !beside {
				ev.callsIn(n.X, true, f, self, sc)
				ev.callsIn(n.Y, true, f, self, sc)
				return false
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				name, known := ev.value(n.Args[0], sc).Text()
				if p, ok := n.Args[0].Parts[0].(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "FUNCNAME" {
					name, known = self, true
				}
				if name == "eval" {
					ev.evalCalls(n.Args[1:], beside, f, self, sc)
				}
				if known {
					f.calls[name] = f.calls[name] || beside
				}
			}
		}
		return true
	})
}

// evalCalls does the same for the text that eval gets.
func (ev *evaluator) evalCalls(args []*syntax.Word, beside bool, f *function, self string, sc *scope) {
	var b strings.Builder
	for _, w := range args {
		b.WriteString(ev.value(w, sc).filled("_") + " ")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(b.String()), "")
	if err != nil {
		return
	}
	for _, s := range file.Stmts {
		ev.callsIn(s, beside, f, self, sc)
	}
}

// called keeps what a function of the text is given, and where it leads.
func (r *reader) called(cmd *Command, argv []arg, sc *scope) {
	name, _ := argv[0].Text()
	f := r.m.functions[name]
	if f == nil {
		return
	}
	r.m.positional(argv[1:])
	if f.dir != "" {
		r.dirs.add(f.dir)
		if !slices.Contains(sc.other, f.dir) && len(sc.other) < maxDirs {
			sc.other = append(sc.other, f.dir)
		}
	}
}

// coprocess reads a coproc. The parser takes the first word of a pipe for the
// name, which only a compound command can have, and what looks like assignments
// behind the program (dd of=x) for assignments, so the text is read once more.
func (r *reader) coprocess(c *syntax.CoprocClause, sc *scope, depth int) {
	r.stmt(c.Stmt, sc, depth+1)
	if c.Stmt == nil {
		return
	}
	end := c.Stmt.End().Offset()
	switch inner := c.Stmt.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause:
		return
	case *syntax.CallExpr:
		if c.Name == nil && len(inner.Assigns) == 0 {
			return
		}
		for _, a := range inner.Assigns {
			end = max(end, a.End().Offset())
		}
	}
	from, to := int(c.Coproc.Offset())+len("coproc"), int(end)
	if from < to && to <= len(r.src) {
		inner := sc.copied()
		r.text(plain(r.src[from:to]), &inner, depth, r.level)
	}
}
