package control

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknownPart stands in a value for what only running the script would tell.
const unknownPart = "\uFFFC"

const maxBraceWords = 64

// value is what a word comes to, as far as it can be told without running
// anything.
type value struct {
	text    string
	fields  []string // what the shell would split it into; at least one
	unknown bool     // it holds an expansion: text is only the likely value
	glob    bool
	braces  bool
	quoted  bool
}

// arg is one word of a command line after expansion.
type arg struct {
	text string
	open bool // only known when it runs
	glob bool
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

// value works out a word without reading commands inside it.
func (r *reader) value(w *syntax.Word, sc *scope) value {
	if w == nil {
		return value{}
	}
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(lit.Value, `\*?[{~`) {
			return value{text: lit.Value, fields: []string{lit.Value}}
		}
	}
	split := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if syntax.SplitBraces(split) {
		return r.braced(split, sc)
	}
	e := evaluation{r: r, sc: sc}
	e.parts(w.Parts, false)
	v := value{text: e.b.String(), unknown: e.unknown, glob: e.glob, quoted: e.quoted}
	v.fields = []string{v.text}
	if e.splits {
		if v.fields = strings.Fields(v.text); len(v.fields) == 0 {
			v.fields = []string{""}
		}
	}
	return v
}

// braced expands {a,b}; sequences and more than maxBraceWords are not expanded.
func (r *reader) braced(w *syntax.Word, sc *scope) value {
	v := value{braces: true}
	words, ok := expandBraces(w.Parts)
	if !ok {
		v.unknown = true
		words = [][]syntax.WordPart{withoutBraces(w.Parts)}
	}
	for _, parts := range words {
		e := evaluation{r: r, sc: sc}
		e.parts(parts, false)
		v.fields = append(v.fields, e.b.String())
		v.unknown = v.unknown || e.unknown
		v.glob = v.glob || e.glob
	}
	v.text = strings.Join(v.fields, " ")
	return v
}

func withoutBraces(parts []syntax.WordPart) []syntax.WordPart {
	return slices.DeleteFunc(slices.Clone(parts), func(p syntax.WordPart) bool {
		_, is := p.(*syntax.BraceExp)
		return is
	})
}

// expandBraces multiplies out the alternatives, left to right.
func expandBraces(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		b, is := p.(*syntax.BraceExp)
		var choices [][]syntax.WordPart
		switch {
		case !is:
			choices = [][]syntax.WordPart{{p}}
		case b.Sequence:
			return nil, false
		default:
			for _, el := range b.Elems {
				inner, ok := expandBraces(el.Parts)
				if !ok {
					return nil, false
				}
				choices = append(choices, inner...)
			}
		}
		if len(out)*len(choices) > maxBraceWords {
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, o := range out {
			for _, c := range choices {
				next = append(next, append(slices.Clone(o), c...))
			}
		}
		out = next
	}
	return out, true
}

// evaluation builds the value of one word.
type evaluation struct {
	r       *reader
	sc      *scope
	b       strings.Builder
	unknown bool
	glob    bool
	quoted  bool
	splits  bool // an unquoted expansion: the shell splits at blanks
}

func (e *evaluation) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if quoted {
				e.b.WriteString(unescape(p.Value, "$`\"\\"))
			} else {
				e.literal(p.Value, i == 0)
			}
		case *syntax.SglQuoted:
			e.quoted = true
			if p.Dollar {
				e.b.WriteString(ansiC(p.Value))
			} else {
				e.b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			e.quoted = true
			e.parts(p.Parts, true)
		case *syntax.ParamExp:
			e.param(p, quoted)
		case *syntax.CmdSubst:
			e.substituted(p, quoted)
		case *syntax.ExtGlob:
			e.glob = true
			e.b.WriteString("*")
		case *syntax.BraceExp: // inside an alternative that was not expanded
			e.unknown = true
		default:
			e.unknown = true
			e.b.WriteString(unknownPart)
		}
	}
}

func (e *evaluation) literal(s string, first bool) {
	if first && strings.HasPrefix(s, "~") {
		switch name, rest, _ := strings.Cut(s[1:], "/"); {
		case name == "" && e.r.userHome != "":
			s = e.r.userHome
			if rest != "" {
				s += "/" + rest
			}
		case name == "+" && e.sc.dir != "":
			s = e.sc.dir + "/" + rest
		default:
			e.unknown = true
		}
	}
	if !strings.ContainsAny(s, `\*?[`) {
		e.b.WriteString(s)
		return
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				e.b.WriteByte(s[i])
			}
			continue
		case s[i] == '*' || s[i] == '?' || s[i] == '[' && strings.Contains(s[i:], "]"):
			e.glob = true
		}
		e.b.WriteByte(s[i])
	}
}

// param expands what is known: the home directory, the current one, and
// variables the script itself set to a literal. Everything that is not the home
// or the current directory stays unknown, with its likely value as text.
func (e *evaluation) param(p *syntax.ParamExp, quoted bool) {
	if p.Param == nil || p.Length || p.Excl || p.Width || p.IsSet {
		e.unknown = true
		e.b.WriteString(unknownPart)
		return
	}
	text, known := e.r.vars[p.Param.Value]
	certain := false
	switch p.Param.Value {
	case "HOME":
		if !known {
			text, known, certain = e.r.userHome, e.r.userHome != "", true
		}
	case "PWD":
		if !known {
			text, known, certain = e.sc.dir, e.sc.dir != "", true
		}
	case "IFS":
		if !known {
			text, known = " ", true
		}
	}
	plain := p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil && p.Names == 0
	switch {
	case !known && p.Exp != nil && p.Exp.Word != nil && defaulting(p.Exp.Op):
		text, known = e.r.value(p.Exp.Word, e.sc).text, true
	case !known:
		text = unknownPart
	}
	if !certain || !plain {
		e.unknown = true
	}
	e.splits = e.splits || !quoted
	e.b.WriteString(text)
}

func defaulting(op syntax.ParExpOperator) bool {
	return op == syntax.DefaultUnset || op == syntax.DefaultUnsetOrNull ||
		op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull
}

// substituted keeps what `$(echo x)` and `$(pwd)` plainly come to, so that a
// hard limit is found behind them.
func (e *evaluation) substituted(c *syntax.CmdSubst, quoted bool) {
	e.unknown = true
	e.splits = e.splits || !quoted
	if len(c.Stmts) == 1 {
		if text := e.r.printed(c.Stmts[0], e.sc); text != "" {
			e.b.WriteString(text)
			return
		}
		if call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Args) == 1 && call.Args[0].Lit() == "pwd" && e.sc.dir != "" {
			e.b.WriteString(e.sc.dir)
			return
		}
	}
	e.b.WriteString(unknownPart)
}
