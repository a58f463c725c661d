package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const maxBraceWords = 64

// value is what a word comes to, as far as it can be told without running
// anything.
type value struct {
	Parts
	fields  []Parts // what the shell would split it into; at least one
	bare    Parts   // the word where variables that nothing sets are empty
	unset   bool    // bare differs from it
	number  bool    // the result of a calculation
	unknown bool    // it holds an expansion: what is known of it is only likely
	braces  bool
}

// arg is one word of a command line after expansion.
type arg struct {
	Parts
	likely bool  // it came from an expansion: even what is known of it may be wrong
	feeds  Parts // what <(…) gives to whoever opens it
}

// unsure says that running the script may tell something else about the word.
func (a arg) unsure() bool { return a.likely || a.isOpen() }

// plain are words of a command line that are known.
func plain(list ...string) []arg {
	var out []arg
	for _, text := range list {
		out = append(out, arg{Parts: known(text)})
	}
	return out
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
			fields := []Parts{known(lit.Value)}
			return value{Parts: fields[0], fields: fields}
		}
	}
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Count(lit.Value, "{") > maxBraceWords {
			return value{Parts: notKnown, fields: []Parts{notKnown}, braces: true, unknown: true}
		}
	}
	split := &syntax.Word{Parts: slices.Clone(w.Parts)}
	if syntax.SplitBraces(split) {
		return r.braced(split, sc)
	}
	e := evaluation{r: r, sc: sc}
	e.parts(w.Parts, false)
	v := value{Parts: joined(e.fields, " "), unknown: e.unknown, number: isNumber(w), unset: e.unset, bare: e.bare}
	v.unknown = v.unknown || v.isOpen()
	v.fields = e.fields
	if e.splits {
		v.fields = nil
		for _, f := range e.fields {
			v.fields = append(v.fields, f.split(blanks)...)
		}
	}
	if len(v.fields) == 0 {
		v.fields = []Parts{nil}
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
	case *syntax.ParamExp:
		return p.Length || p.Param != nil && strings.Contains("#?$!", p.Param.Value)
	}
	return false
}

// evaluation builds the value of one word.
type evaluation struct {
	r       *reader
	sc      *scope
	fields  []Parts // the words so far; the last one is not at its end
	bare    Parts   // what they come to without variables that nothing sets
	unset   bool    // there is such a variable
	unknown bool
	splits  bool // an unquoted expansion: the shell splits at blanks
}

// write puts parts at the end of the word.
func (e *evaluation) write(parts ...part) {
	if len(e.fields) == 0 {
		e.fields = append(e.fields, nil)
	}
	last := &e.fields[len(e.fields)-1]
	*last = append(*last, parts...)
	if e.unset {
		e.bare = append(e.bare, parts...)
	}
}

// expand writes what an expansion comes to, which the shell splits unless it is quoted.
func (e *evaluation) expand(p Parts, quoted bool) {
	if len(p) > 0 {
		e.write(p.as(!quoted)...)
	}
}

// next begins another word.
func (e *evaluation) next() {
	e.fields = append(e.fields, nil)
	if e.unset {
		e.bare = append(e.bare, part{text: " "})
	}
}

func (e *evaluation) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		e.part(p, i == 0, quoted)
	}
}

func (e *evaluation) part(p syntax.WordPart, isFirst, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			e.write(part{text: unescape(p.Value, "$`\"\\")})
		} else {
			e.literal(p.Value, isFirst)
		}
	case *syntax.SglQuoted:
		text := p.Value
		if p.Dollar {
			text, _, _ = strings.Cut(ansiC(text), "\x00") // a NUL ends it
		}
		e.write(part{text: text})
	case *syntax.DblQuoted:
		e.parts(p.Parts, true)
	case *syntax.ParamExp:
		if !e.r.neverSet(p) {
			e.param(p, quoted)
			return
		}
		if !e.unset {
			e.unset, e.bare = true, slices.Clone(joined(e.fields, " "))
		}
		bare := e.bare
		e.unknown = true
		e.param(p, quoted)
		e.bare = bare
	case *syntax.CmdSubst:
		e.substituted(p, quoted)
	case *syntax.ExtGlob:
		e.r.s.Doubt("it is not known which files an extended pattern names")
		e.write(part{text: "*", unquoted: true})
	case *syntax.BraceExp: // inside an alternative that was not expanded
		e.unknown = true
	default:
		e.unknown = true
		e.write(notKnown...)
	}
}

// certainDir doubts a word that stands for the current directory where a cd before it may
// have failed.
func (e *evaluation) certainDir(word string) {
	if len(e.sc.other) > 0 {
		e.r.s.Doubt("which directory " + word + " is depends on a cd that may fail")
	}
}

func (e *evaluation) literal(s string, first bool) {
	if first && strings.HasPrefix(s, "~") {
		dir := ""
		name, rest, _ := strings.Cut(s[1:], "/")
		switch name {
		case "":
			dir = e.r.at.Home
		case "+":
			e.certainDir("~+")
			dir = e.sc.dir
		}
		if dir == "" {
			e.unknown = true
		} else if e.write(part{text: dir}); rest == "" {
			return
		} else {
			s = "/" + rest
		}
	}
	for s != "" {
		plain, rest, found := strings.Cut(s, `\`)
		e.write(part{text: plain, unquoted: true})
		if found && rest == "" {
			e.write(part{text: `\`})
		}
		if s = rest; s != "" {
			n := runeLen(s)
			if s[0] != '\n' {
				e.write(part{text: s[:n]})
			}
			s = s[n:]
		}
	}
}

// param expands what is known: the home directory, the current one, and what
// the text itself gives its variables. Everything that is not the home or the
// current directory stays unknown, with its likely value as text.
func (e *evaluation) param(p *syntax.ParamExp, quoted bool) {
	e.splits = e.splits || !quoted
	if p.Param == nil || p.Width || p.IsSet || p.Names != 0 {
		e.unknown = true
		e.write(notKnown...)
		return
	}
	name := p.Param.Value
	if wholeList(p) && p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length {
		if h, ok := e.r.lookup(listName(p)); ok {
			e.unknown = true
			for i, element := range h.list {
				if i > 0 {
					e.next()
				}
				e.expand(element, quoted && !element.wild())
			}
			return
		}
	}
	h, set := e.r.lookup(name)
	if p.Excl && set {
		name, set = h.Text()
		if set {
			h, set = e.r.lookup(name)
		}
	}
	certain := false
	if !set {
		switch name {
		case "HOME":
			h.Parts, set, certain = known(e.r.at.Home), e.r.at.Home != "", true
		case "PWD":
			e.certainDir("$PWD")
			h.Parts, set, certain = known(e.sc.dir), e.sc.dir != "", true
		case "OLDPWD":
			h.Parts, set = known(e.sc.dir), e.sc.dir != ""
		case "IFS":
			h.Parts, set = known(" "), true
		}
	}
	if !certain || p.Exp != nil || p.Repl != nil || p.Slice != nil || p.Index != nil || p.Length || p.Excl {
		e.unknown = true
	}
	switch {
	case p.Length:
		h.Parts = notKnown
	case set && h.glob && (p.Exp != nil || p.Repl != nil || p.Slice != nil): // what is left of a name that the pattern hits, the rest of the pattern hits
		h.Parts = e.operated(p, h.Parts).as(true)
	case set:
		h.Parts = e.operated(p, h.Parts)
	case p.Exp != nil && p.Exp.Word != nil && mayStandIn(p.Exp.Op):
		h.Parts = e.r.value(p.Exp.Word, e.sc).Parts
	default:
		h.Parts = notKnown
	}
	if h.glob {
		e.write(h.Parts...)
		return
	}
	e.expand(h.Parts, quoted)
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
	if out, ok := e.r.outputs(c.Stmts, nil, false, e.sc, 0); ok {
		e.expand(out.trimRight("\n"), quoted)
		return
	}
	e.write(notKnown...)
}
