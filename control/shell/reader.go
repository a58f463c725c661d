package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// reader walks one command text and everything that is shell text inside it. It works out
// words as its evaluator does; its other parts know neither the reader nor the syntax.
type reader struct {
	evaluator
	uses    uses
	hard    hardLimits
	dirs    *directories
	seen    map[syntax.Node]bool
	level   int  // wrappers around this text
	probing bool // only hard limits count
}

// newReader reads into s. What m remembers is of texts that run at the same place.
func newReader(s *Script, at *Place, m *memory) *reader {
	return &reader{
		evaluator: evaluator{s: s, at: at, m: m, lists: map[*syntax.Stmt]bool{}},
		uses:      uses{s, at, m}, hard: hardLimits{s, at, m}, dirs: &directories{s: s, at: at, m: m}, seen: map[syntax.Node]bool{},
	}
}

// source reads one text. What comes before a syntax error still runs in bash,
// so it is analysed, and the lines after it are searched for hard limits.
func (r *reader) source(text string, sc *scope, depth int) {
	if tooDeep(text) {
		r.s.Invalid = "the command nests brackets more than 200 deep"
		return
	}
	outer := r.src
	defer func() { r.src = outer }()
	r.src = text
	if sc.dir != "" {
		r.dirs.add(sc.dir)
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	var last uint
	failed := false
	for stmt, err := range parser.StmtsSeq(strings.NewReader(text)) {
		// The loop is never left early: after some errors the parser goes on
		// handing out statements and panics when nobody takes them.
		if err != nil || stmt == nil {
			failed = failed || err != nil
			continue
		}
		if !failed {
			last = stmt.End().Offset()
		}
		r.stmt(stmt, sc, depth)
		r.sweep(stmt, sc, depth)
	}
	if failed {
		r.s.illegible(said.That("the command could not be parsed as shell"))
		r.salvage(text[min(int(last), len(text)):], sc, depth)
	}
}

// tooDeep says that brackets stand so deep in each other that reading them would take
// seconds. Quotes are not told apart: what is nested in them may be read, too.
func tooDeep(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{':
			if depth++; depth > maxBrackets {
				return true
			}
		case ')', '}':
			depth = max(0, depth-1)
		}
	}
	return false
}

// salvage looks at each line of unreadable text by itself.
func (r *reader) salvage(text string, sc *scope, depth int) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	lines := strings.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')' })
	for i, line := range lines {
		if i > 200 {
			return
		}
		file, err := parser.Parse(strings.NewReader(line), "")
		if err != nil {
			continue
		}
		r.src = line
		for _, stmt := range file.Stmts {
			r.stmt(stmt, sc, depth)
		}
	}
}

// sweep makes sure that no simple command is forgotten, whatever construct it
// is in: everything the walk over stmt did not reach is read now.
func (r *reader) sweep(stmt *syntax.Stmt, sc *scope, depth int) {
	syntax.Walk(stmt, func(n syntax.Node) bool {
		inner := *sc
		switch n := n.(type) {
		case *syntax.CallExpr:
			if !r.seen[n] {
				r.call(n, nil, &inner, depth+1)
			}
		case *syntax.Redirect:
			if !r.seen[n] {
				r.redirect(n, &inner, depth+1)
			}
		}
		return true
	})
}

func (r *reader) stmts(list []*syntax.Stmt, sc *scope, depth int) {
	for _, s := range list {
		r.stmt(s, sc, depth)
	}
}

// stmt reads one statement: its redirections, then its command.
func (r *reader) stmt(s *syntax.Stmt, sc *scope, depth int) {
	if s == nil {
		return
	}
	for _, red := range s.Redirs {
		r.redirect(red, sc, depth)
	}
	r.wroteFile(s, sc)
	if _, simple := s.Cmd.(*syntax.CallExpr); !simple && len(s.Redirs) > 0 {
		if text, ok := r.fed(s.Redirs, sc); ok { // while read x; do …; done <<< text
			outer, piped := sc.stdin, sc.piped
			sc.stdin, sc.piped = text, true
			defer func() { sc.stdin, sc.piped = outer, piped }()
		}
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.call(c, s.Redirs, sc, depth)
	case *syntax.BinaryCmd:
		r.binary(c, sc, depth)
	case *syntax.Subshell:
		inner := sc.copied()
		r.stmts(c.Stmts, &inner, depth+1)
	case *syntax.Block:
		r.stmts(c.Stmts, sc, depth)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.stmts(c.Cond, sc, depth)
			sc.perhaps(func() { r.stmts(c.Then, sc, depth+1) })
		}
	case *syntax.WhileClause:
		r.stmts(c.Cond, sc, depth)
		sc.repeated(func() { r.stmts(c.Do, sc, depth+1) })
	case *syntax.ForClause:
		r.forLoop(c, sc, depth)
	case *syntax.CaseClause:
		r.word(c.Word, sc, depth)
		for _, item := range c.Items {
			sc.perhaps(func() { r.stmts(item.Stmts, sc, depth+1) })
		}
	case *syntax.FuncDecl:
		r.declareFunction(c, sc, depth)
	case *syntax.TimeClause:
		r.stmt(c.Stmt, sc, depth)
	case *syntax.CoprocClause:
		r.coprocess(c, sc, depth)
	case *syntax.DeclClause:
		r.declare(c, sc, depth)
	case *syntax.LetClause:
		r.s.AddUncertain(said.That("the command uses let"))
	}
	r.nested(s.Cmd, sc, depth)
}

// binary reads a list or a pipe. The parts of a pipe run in subshells.
func (r *reader) binary(c *syntax.BinaryCmd, sc *scope, depth int) {
	if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		outer := sc.sure
		sc.sure = c.Op == syntax.AndStmt
		r.stmt(c.X, sc, depth)
		sc.sure = outer
		if c.Op == syntax.OrStmt {
			sc.perhaps(func() { r.stmt(c.Y, sc, depth) })
			return
		}
		if sc.sure { // the whole chain is
			r.stmt(c.Y, sc, depth)
			return
		}
		sc.perhaps(func() { r.stmt(c.Y, sc, depth) })
		return
	}
	left, right := sc.copied(), sc.copied()
	r.stmt(c.X, &left, depth)
	right.stdin, _ = r.output(c.X, sc.stdin, len(sc.stdin) > 0, sc, 0)
	right.piped = true
	if len(right.stdin) == 0 {
		right.stdin = r.listed(c.X, sc)
		right.listing = sc.listing || r.listsFiles(c.X, sc)
	}
	r.stmt(c.Y, &right, depth)
}

func (r *reader) forLoop(c *syntax.ForClause, sc *scope, depth int) {
	if it, ok := c.Loop.(*syntax.WordIter); ok {
		for _, w := range it.Items {
			r.word(w, sc, depth)
			r.m.worlds([]*syntax.Word{w}, func(bool) {
				v := r.value(w, sc)
				r.uses.pathWord("read", v.Parts, "for", sc)
				for _, f := range v.fields {
					r.m.remember(it.Name.Value, held{Parts: f, glob: f.wild()})
				}
			})
		}
		if !it.InPos.IsValid() { // for x; do: the positional parameters
			r.m.remember(it.Name.Value, held{Parts: notKnown})
			if v := r.m.vars["@"]; v != nil {
				for _, h := range v.values {
					for _, element := range h.list {
						r.m.remember(it.Name.Value, held{Parts: element})
					}
				}
			}
		}
	}
	sc.repeated(func() { r.stmts(c.Do, sc, depth+1) })
}

// nested reads the substitutions in everything of a command that is not a word
// of a simple command: tests, arithmetic, case patterns, array values.
func (r *reader) nested(n syntax.Node, sc *scope, depth int) {
	switch n.(type) {
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause, *syntax.DeclClause, *syntax.ForClause, *syntax.CaseClause:
	default:
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		r.arithmetic(n, sc, depth)
		if r.substitution(n, sc, depth) {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			return false // read as a statement already
		case *syntax.Word:
			if v := r.value(n, sc); !v.wild() { // a pattern here names no files
				r.uses.pathWord("read", v.Parts, "[[", sc)
			}
		}
		return true
	})
}
