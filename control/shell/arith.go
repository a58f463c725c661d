package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// The shell evaluates the text of a variable again wherever it calculates, and
// where a builtin is given the name of a variable: with x='a[$(cmd)]' each of
// $((x)), [[ $x -eq 1 ]], ${b[x]}, test -v "$x" and printf -v "$x" runs cmd.

// naming are builtins that take names of variables.
var naming = words("test [ printf read unset declare typeset local export readonly mapfile readarray getopts wait let compgen")

// setting are builtins that give variables a value that nobody knows.
var setting = words("read mapfile readarray getopts printf wait")

// calculated reads the commands in text that a calculation would run.
func (r *reader) calculated(p Parts, sc *scope, depth int) {
	text := p.filled("_")
	if !strings.Contains(text, "$(") && !strings.Contains(text, "`") && !strings.Contains(text, "${") {
		return
	}
	r.s.AddUncertain(said.That("text contains a command that runs when the text is calculated with"))
	if r.m.read[text] {
		return
	}
	r.m.read[text] = true
	if depth > 2*maxWrapperDepth {
		return
	}
	// It is no command but the inside of one: only what is substituted runs.
	word, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(text))
	if err != nil {
		return
	}
	outer := r.src
	r.src = text
	inner := *sc
	r.substitutions(word, &inner, depth+1)
	r.src = outer
}

// names reads the arguments of builtins that take names of variables, and notes
// the variables they set.
func (r *reader) names(cmd *Command, argv []arg, sc *scope, depth int) {
	if !naming.has(cmd.Head) {
		return
	}
	for _, a := range argv[1:] {
		if a.holds("[") {
			r.calculated(a.Parts, sc, depth)
		}
	}
	if !setting.has(cmd.Head) || cmd.Head == "printf" && !slices.Contains(cmd.likely, "-v") {
		return
	}
	if r.m.received(cmd, argv, sc) {
		return
	}
	for _, name := range append(namesAmong(argv[1:]), "REPLY", "MAPFILE", "OPTARG") {
		r.m.remember(name, held{Parts: notKnown})
	}
}

// received keeps what read, mapfile and printf -v put into variables where that
// is plain from the text.
func (m *memory) received(cmd *Command, argv []arg, sc *scope) bool {
	names := namesAmong(argv[1:])
	switch {
	case cmd.Head == "printf":
		i := slices.Index(cmd.likely, "-v")
		if i+1 >= len(cmd.Args) {
			return false
		}
		out, ok := printed(slices.Concat(cmd.Args[:i], cmd.Args[i+2:]))
		if name, named := cmd.Args[i+1].Text(); ok && named {
			m.remember(name, held{Parts: out})
		}
		return ok
	case len(sc.stdin) == 0 || len(names) == 0:
		return false
	}
	lines := sc.stdin.lines()
	if len(lines) > maxValues {
		return false
	}
	last := names[len(names)-1]
	if cmd.Head != "read" {
		for _, line := range lines {
			m.remember(last, held{Parts: line})
		}
		m.rememberList(last+"[@]", lines)
		return true
	}
	for _, line := range lines {
		fields := line.words()
		m.remember(last, held{Parts: line.trimLeft(blanks).trimRight(blanks)})
		for i, name := range names[:min(len(names), len(fields))] {
			if i == len(names)-1 {
				fields[i] = joined(fields[i:], " ")
			}
			m.remember(name, held{Parts: fields[i]})
		}
	}
	return true
}

// namesAmong are the words that can be names of variables.
func namesAmong(argv []arg) []string {
	var out []string
	for _, a := range argv {
		if name, ok := a.Text(); ok && isName(name) {
			out = append(out, name)
		}
	}
	return out
}

// arithmetic finds calculations with text that is only known when it runs.
func (r *reader) arithmetic(n syntax.Node, sc *scope, depth int) {
	switch n := n.(type) {
	case *syntax.ArithmExp:
		r.operands(n.X, sc, depth)
	case *syntax.ArithmCmd:
		r.operands(n.X, sc, depth)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			r.operands(x, sc, depth)
		}
	case *syntax.CStyleLoop:
		r.operands(n.Init, sc, depth)
		r.operands(n.Cond, sc, depth)
		r.operands(n.Post, sc, depth)
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			r.testOperands(n.X, sc, depth)
			r.testOperands(n.Y, sc, depth)
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet {
			r.testOperands(n.X, sc, depth)
		}
	case *syntax.ParamExp:
		if w, ok := n.Index.(*syntax.Word); ok && w.Lit() != "@" && w.Lit() != "*" {
			r.operands(n.Index, sc, depth)
		}
		if n.Slice != nil {
			r.operands(n.Slice.Offset, sc, depth)
			r.operands(n.Slice.Length, sc, depth)
		}
		if n.Exp != nil && n.Param != nil && n.Exp.Word != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			r.m.remember(n.Param.Value, held{Parts: r.value(n.Exp.Word, sc).Parts})
		}
		if n.Excl && n.Param != nil {
			r.m.operand(n.Param.Value)
		}
		if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && n.Exp.Word != nil && n.Exp.Word.Lit() == "P" {
			r.s.AddUncertain(said.That("a variable is expanded as a prompt, which runs commands in it"))
		}
	case *syntax.Assign:
		if n.Index != nil {
			r.operands(n.Index, sc, depth)
		}
	}
}

func (r *reader) testOperands(x syntax.TestExpr, sc *scope, depth int) {
	if w, ok := x.(*syntax.Word); ok {
		r.operands(w, sc, depth)
	}
}

// operands looks at every name and text of a calculation.
func (r *reader) operands(x syntax.ArithmExpr, sc *scope, depth int) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			if lit := n.Lit(); isName(lit) {
				r.m.operand(lit)
				return false
			}
			v := r.value(n, sc)
			r.calculated(v.Parts, sc, depth)
			for _, p := range n.Parts {
				if _, ok := p.(*syntax.CmdSubst); ok && v.isOpen() {
					r.s.AddUncertain(calculatesUnknown)
				}
			}
		case *syntax.ParamExp:
			if n.Param != nil && !n.Length {
				r.m.operand(n.Param.Value)
			}
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
		return true
	})
}
