package shell

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"mvdan.cc/sh/v3/syntax"
)

const maxBraceWords = 64

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
	ev      *evaluator
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
		if !e.ev.neverSet(p) {
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
		e.ev.s.AddUncertain(said.That("it is not known which files an extended pattern names"))
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
		e.ev.s.AddUncertain(said.That("which directory %s is depends on a cd that may fail", word))
	}
}

func (e *evaluation) literal(s string, first bool) {
	if first && strings.HasPrefix(s, "~") {
		dir := ""
		name, rest, _ := strings.Cut(s[1:], "/")
		switch name {
		case "":
			dir = e.ev.at.Home
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
		if h, ok := e.ev.m.lookup(listName(p)); ok {
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
	h, set := e.ev.m.lookup(name)
	if p.Excl && set {
		name, set = h.Text()
		if set {
			h, set = e.ev.m.lookup(name)
		}
	}
	certain := false
	if !set {
		switch name {
		case "HOME":
			h.Parts, set, certain = known(e.ev.at.Home), e.ev.at.Home != "", true
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
		h.Parts = e.ev.value(p.Exp.Word, e.sc).Parts
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

// substituted keeps what `$(echo x)` and `$(pwd)` plainly come to, so that a
// hard limit is found behind them.
func (e *evaluation) substituted(c *syntax.CmdSubst, quoted bool) {
	e.unknown = true
	e.splits = e.splits || !quoted
	if out, ok := e.ev.outputs(c.Stmts, nil, false, e.sc, 0); ok {
		e.expand(out.trimRight("\n"), quoted)
		return
	}
	e.write(notKnown...)
}
