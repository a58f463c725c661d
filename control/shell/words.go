package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// unknownPart stands in a value for what only running the script would tell.
const unknownPart = "\uFFFC"

// fieldBreak stands between the elements of an array inside a value.
const fieldBreak = "\uFFFB"

const maxBraceWords = 64

// value is what a word comes to, as far as it can be told without running
// anything.
type value struct {
	text    string
	fields  []string // what the shell would split it into; at least one
	bare    string   // text where variables that nothing sets are empty
	unset   bool     // bare differs from text
	number  bool     // the result of a calculation
	unknown bool     // it holds an expansion: text is only the likely value
	glob    bool
	braces  bool
	quoted  bool
}

// arg is one word of a command line after expansion.
type arg struct {
	text  string
	open  bool // only known when it runs
	glob  bool
	feeds string // what <(…) gives to whoever opens it
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
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Count(lit.Value, "{") > maxBraceWords {
			return value{text: unknownPart, fields: []string{unknownPart}, braces: true, unknown: true}
		}
	}
	split := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if syntax.SplitBraces(split) {
		return r.braced(split, sc)
	}
	e := evaluation{r: r, sc: sc}
	e.parts(w.Parts, false)
	v := value{text: e.b.String(), unknown: e.unknown, glob: e.glob, quoted: e.quoted, number: isNumber(w)}
	v.fields = []string{v.text}
	if e.splits || strings.Contains(v.text, fieldBreak) {
		v.fields = nil
		for part := range strings.SplitSeq(v.text, fieldBreak) {
			if e.splits {
				v.fields = append(v.fields, strings.Fields(part)...)
			} else {
				v.fields = append(v.fields, part)
			}
		}
		if len(v.fields) == 0 {
			v.fields = []string{""}
		}
		v.text = strings.ReplaceAll(v.text, fieldBreak, " ")
	}
	if v.unset = e.unset; v.unset {
		v.bare = strings.ReplaceAll(e.bare.String(), fieldBreak, " ")
	}
	return v
}

// isNumber says that a word is a calculation, or the length or count of
// something.
func isNumber(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	switch p := parts[0].(type) {
	case *syntax.ArithmExp:
		return true
	case *syntax.CmdSubst:
		return countsOnly(p)
	case *syntax.ParamExp:
		return p.Length || p.Param != nil && strings.Contains("#?$!", p.Param.Value)
	}
	return false
}

// evaluation builds the value of one word.
type evaluation struct {
	r       *reader
	sc      *scope
	b       strings.Builder
	bare    strings.Builder // as b, without variables that nothing sets
	unset   bool
	unknown bool
	glob    bool
	quoted  bool
	splits  bool // an unquoted expansion: the shell splits at blanks
}

func (e *evaluation) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		from := e.b.Len()
		e.part(p, i == 0, quoted)
		switch p := p.(type) {
		case *syntax.DblQuoted:
			continue // its parts were added one by one
		case *syntax.ParamExp:
			if e.r.neverSet(p) {
				continue
			}
		}
		e.bare.WriteString(e.b.String()[from:])
	}
}

func (e *evaluation) part(p syntax.WordPart, isFirst, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			e.b.WriteString(unescape(p.Value, "$`\"\\"))
		} else {
			e.literal(p.Value, isFirst)
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

func (e *evaluation) literal(s string, first bool) {
	if first && strings.HasPrefix(s, "~") {
		switch name, rest, _ := strings.Cut(s[1:], "/"); {
		case name == "" && e.r.at.Home != "":
			s = e.r.at.Home
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

// param expands what is known: the home directory, the current one, and what
// the text itself gives its variables. Everything that is not the home or the
// current directory stays unknown, with its likely value as text.
func (e *evaluation) param(p *syntax.ParamExp, quoted bool) {
	e.splits = e.splits || !quoted
	if p.Param == nil || p.Width || p.IsSet || p.Names != 0 {
		e.unknown = true
		e.b.WriteString(unknownPart)
		return
	}
	name := p.Param.Value
	if e.r.neverSet(p) {
		e.unset, e.unknown = true, true
	}
	if wholeList(p) && p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length {
		if h, ok := e.r.lookup(listName(p)); ok {
			e.unknown = true
			e.b.WriteString(h.text)
			return
		}
	}
	h, known := e.r.lookup(name)
	if p.Excl && known {
		name = h.text
		h, known = e.r.lookup(name)
	}
	certain := false
	if !known {
		switch name {
		case "HOME":
			h.text, known, certain = e.r.at.Home, e.r.at.Home != "", true
		case "PWD":
			h.text, known, certain = e.sc.dir, e.sc.dir != "", true
		case "OLDPWD":
			h.text, known = e.sc.dir, e.sc.dir != ""
		case "IFS":
			h.text, known = " ", true
		}
	}
	if !certain || p.Exp != nil || p.Repl != nil || p.Slice != nil || p.Index != nil || p.Length || p.Excl {
		e.unknown = true
	}
	e.glob = e.glob || h.glob
	text := h.text
	switch {
	case p.Length:
		known = false
	case known:
		text, known = e.operated(p, text)
	case p.Exp != nil && p.Exp.Word != nil && mayStandIn(p.Exp.Op):
		text, known = e.r.value(p.Exp.Word, e.sc).text, true
	}
	if !known {
		text = unknownPart
	}
	e.b.WriteString(text)
}

// mayStandIn says that an operator gives its own word where the variable has no
// value, or where it has one.
func mayStandIn(op syntax.ParExpOperator) bool {
	return op == syntax.DefaultUnset || op == syntax.DefaultUnsetOrNull || op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull ||
		op == syntax.AlternateUnset || op == syntax.AlternateUnsetOrNull
}

// usuallySet are variables that an environment is expected to hold; the others
// are empty unless the text sets them.
var usuallySet = words(`HOME PWD OLDPWD IFS USER LOGNAME SHELL PATH LANG TERM TMPDIR TMP TEMP HOSTNAME EDITOR VISUAL PAGER RANDOM SECONDS LINENO UID EUID PPID
	BASHPID FUNCNAME BASH_SOURCE GOPATH GOROOT GOBIN GOCACHE GOMODCACHE VIRTUAL_ENV CONDA_PREFIX CARGO_HOME RUSTUP_HOME JAVA_HOME NVM_DIR CI GITHUB_WORKSPACE
	XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR CODESPACES WORKSPACE`)

// neverSet says that a plain $x is empty when the command runs.
func (r *reader) neverSet(p *syntax.ParamExp) bool {
	if p == nil || p.Param == nil || p.Length || p.Excl || p.Exp != nil && p.Exp.Op != syntax.AlternateUnset && p.Exp.Op != syntax.AlternateUnsetOrNull || !r.m.settled || r.m.opaque {
		return false
	}
	name := p.Param.Value
	if strings.Contains("?$!#-_0", name) || usuallySet.has(name) {
		return false
	}
	_, set := r.lookup(name)
	return !set
}

// substituted keeps what `$(echo x)` and `$(pwd)` plainly come to, so that a
// hard limit is found behind them.
func (e *evaluation) substituted(c *syntax.CmdSubst, quoted bool) {
	e.unknown = true
	e.splits = e.splits || !quoted
	if text, ok := e.r.outputs(c.Stmts, "", false, e.sc, 0); ok {
		e.b.WriteString(strings.TrimRight(text, "\n"))
		return
	}
	e.b.WriteString(unknownPart)
}
