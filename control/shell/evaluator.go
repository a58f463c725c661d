package shell

import (
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"mvdan.cc/sh/v3/syntax"
)

// evaluator works out what words come to and what statements print, as far as that is
// plain from the text. It reads no command inside them and notes no use.
type evaluator struct {
	s         *Script
	at        *Place
	m         *memory
	src       string                // the text that the words are of
	lists     map[*syntax.Stmt]bool // what was found by listsFiles
	expanding int                   // substitutions around the value that is worked out
}

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

// line is a command line with one combination of values.
type line struct {
	shown   []string
	argv    []arg
	listing bool  // words come from a list of files
	bare    []arg // without variables that nothing sets, nil where there are none
}

func (ev *evaluator) line(c *syntax.CallExpr, sc *scope) line {
	var l line
	unset := false
	for i, w := range c.Args {
		v := ev.value(w, sc)
		if i == 0 && (v.unknown || v.wild() || v.braces) {
			ev.s.AddUncertain(said.That("the name of a command is only known when it runs"))
		}
		l.shown = append(l.shown, ev.show(w, v))
		feeds, _ := ev.substituted(w, sc)
		for _, p := range w.Parts {
			if c, ok := p.(*syntax.CmdSubst); ok && len(c.Stmts) > 0 && ev.listsFiles(c.Stmts[len(c.Stmts)-1], sc) {
				l.listing = true
			}
		}
		for _, f := range v.fields {
			l.argv = append(l.argv, arg{Parts: f, likely: v.unknown, feeds: feeds})
		}
		if unset = unset || v.unset; !v.unset {
			for _, f := range v.fields {
				l.bare = append(l.bare, arg{Parts: f, likely: v.unknown, feeds: feeds})
			}
		} else if !v.bare.is("") {
			l.bare = append(l.bare, arg{Parts: v.bare, likely: true})
		}
	}
	if !unset || len(l.bare) == 0 {
		l.bare = nil
	}
	return l
}

func (ev *evaluator) rawAssign(a *syntax.Assign) string {
	if a.Value == nil {
		return ""
	}
	return ev.raw(a.Value)
}

// show is how a word is in a shell: object: as written where it is plain,
// without quotes that change nothing, so that r\m and "rm" are rm.
func (ev *evaluator) show(w *syntax.Word, v value) string {
	if len(w.Parts) == 1 {
		switch p := w.Parts[0].(type) {
		case *syntax.Lit:
			if strings.IndexByte(p.Value, '\\') < 0 {
				return p.Value
			}
		case *syntax.SglQuoted, *syntax.DblQuoted:
			if text, ok := v.Text(); !ok || v.unknown || !plainWord().MatchString(text) {
				return ev.raw(w)
			}
		}
	}
	text, ok := v.Text()
	if !ok || v.unknown || v.wild() || v.braces || hasExpansion(w) {
		return ev.raw(w)
	}
	return quoteWord(text)
}

// raw is the word as it is in the text.
func (ev *evaluator) raw(w *syntax.Word) string {
	from, to := int(w.Pos().Offset()), int(w.End().Offset())
	if from < to && to <= len(ev.src) {
		return ev.src[from:to]
	}
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, w); err != nil {
		return unknownShown
	}
	return b.String()
}

// value works out a word without reading commands inside it.
func (ev *evaluator) value(w *syntax.Word, sc *scope) value {
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
		return ev.braced(split, sc)
	}
	e := evaluation{ev: ev, sc: sc}
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

// usuallySet are variables that an environment is expected to hold; the others
// are empty unless the text sets them.
var usuallySet = words(`HOME PWD OLDPWD IFS USER LOGNAME SHELL PATH LANG TERM TMPDIR TMP TEMP HOSTNAME EDITOR VISUAL PAGER RANDOM SECONDS LINENO UID EUID PPID
	BASHPID FUNCNAME BASH_SOURCE GOPATH GOROOT GOBIN GOCACHE GOMODCACHE VIRTUAL_ENV CONDA_PREFIX CARGO_HOME RUSTUP_HOME JAVA_HOME NVM_DIR CI GITHUB_WORKSPACE
	XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR CODESPACES WORKSPACE`)

// neverSet says that a plain $x is empty when the command runs.
func (ev *evaluator) neverSet(p *syntax.ParamExp) bool {
	if p == nil || p.Param == nil || p.Length || p.Excl || p.Exp != nil && p.Exp.Op != syntax.AlternateUnset && p.Exp.Op != syntax.AlternateUnsetOrNull || !ev.m.settled || ev.m.opaque {
		return false
	}
	name := p.Param.Value
	if strings.Contains("?$!#-_0", name) || usuallySet.has(name) {
		return false
	}
	_, set := ev.m.lookup(name)
	return !set
}
