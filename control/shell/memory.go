package shell

import (
	"slices"
	"strconv"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is remembered about variables. Over them the text asks.
const (
	maxValues      = 32    // of one variable
	maxWorlds      = 32    // combinations of values for one command
	maxTries       = 256   // combinations in the whole text
	maxValueLength = 4_096 // of one value
)

// held is one value that a variable may have.
type held struct {
	Parts
	list   []Parts // of an array: its elements
	glob   bool    // names of files that a pattern hits
	weak   bool    // the value of a variable that may not be set: no reason for a hard limit
	number bool    // the result of a calculation: nothing in it can be run
}

// variable is every value the text ever gives a name. Which branch runs, which
// function is called and which assignment stays inside a subshell is not known,
// so a command is judged with each of them.
type variable struct {
	values []held
	worst  held // the one that is most likely to hit a hard limit
}

// memory is what one command text contains in its variables and functions.
type memory struct {
	s         *Script
	at        *Place
	vars      map[string]*variable
	pick      map[string]held // the values of the combination that is judged now
	functions map[string]*function
	files     map[fileName]Parts // what the text plainly writes into files
	settled   bool               // the text was read once, so that every assignment is known
	opaque    bool               // something may set variables that are not seen: source, eval, nameref
	ambiguous bool               // some variable has more than one value
	read      map[string]bool    // texts that were looked at for calculations
	weak      bool               // the combination holds a weak value
	tries     int
}

func newMemory(s *Script, at *Place) *memory {
	return &memory{s: s, at: at, vars: map[string]*variable{}, functions: map[string]*function{}, files: map[fileName]Parts{}, read: map[string]bool{}}
}

// fileName is what a file of the text is found by. One name that is not known may be
// any other.
type fileName struct {
	path string
	open bool
}

var calculatesUnknown = said.That("a calculation uses text that is only known when it runs")

// operand looks at one variable of a calculation.
func (m *memory) operand(name string) {
	v := m.vars[name]
	if v == nil {
		return
	}
	for _, h := range v.values {
		if h.isOpen() && !h.number {
			m.s.AddUncertain(calculatesUnknown)
		}
	}
}

// function is one function of the text.
type function struct {
	calls map[string]bool // what it calls; true: in a pipe or in the background
	dir   string          // where it leaves the directory, "" when it does not change it
}

// forkBombs blocks functions that start themselves in a pipe or in the
// background, alone or by way of each other, whatever their names.
func (m *memory) forkBombs() {
	for name, f := range m.functions {
		for callee, beside := range f.calls {
			if beside && (callee == name || m.reaches(callee, name, map[string]bool{})) {
				m.block("a fork bomb")
			}
		}
	}
}

func (m *memory) reaches(from, to string, seen map[string]bool) bool {
	f := m.functions[from]
	if f == nil || seen[from] {
		return false
	}
	seen[from] = true
	for callee := range f.calls {
		if callee == to || m.reaches(callee, to, seen) {
			return true
		}
	}
	return false
}

// rememberList adds all elements of an array.
func (m *memory) rememberList(name string, list []Parts) {
	h := held{Parts: notKnown, list: list}
	if len(list) == 1 {
		h.Parts, h.glob = list[0], list[0].wild()
	}
	length := 0
	for _, p := range list {
		length += p.length()
	}
	if length > maxValueLength {
		h = held{Parts: notKnown, list: []Parts{notKnown}}
	}
	m.remember(name, h)
}

// remember adds a value to a variable.
func (m *memory) remember(name string, h held) {
	if h.length() > maxValueLength {
		h = held{Parts: notKnown}
	}
	if !h.glob {
		h.Parts = h.literal()
	}
	v := m.vars[name]
	if v == nil {
		v = &variable{}
		m.vars[name] = v
	}
	switch {
	case slices.ContainsFunc(v.values, h.same):
	case len(v.values) >= maxValues:
		m.s.AddUncertain(said.That("a variable has more values than can be followed"))
	default:
		v.values = append(v.values, h)
		if len(v.worst.Parts) == 0 && !h.weak && h.length() < 256 && (mayBeHard().MatchString(h.filled("_")) || m.at.isRoot(h.Parts, &scope{}, true)) {
			v.worst = h
		}
		m.ambiguous = m.ambiguous || len(v.values) > 1
	}
}

// same says that two values are one.
func (h held) same(other held) bool {
	return slices.Equal(h.Parts, other.Parts) && slices.EqualFunc(h.list, other.list, slices.Equal[Parts]) &&
		h.glob == other.glob && h.weak == other.weak && h.number == other.number
}

// listName is the name under which all elements of an array are kept.
func listName(p *syntax.ParamExp) string {
	if p.Param.Value == "*" || p.Param.Value == "@" {
		return "@"
	}
	return p.Param.Value + "[@]"
}

// positional keeps what a function, `set --` or `sh -c` is given.
func (m *memory) positional(argv []arg) {
	var list []Parts
	for i, a := range argv {
		list = append(list, a.Parts)
		m.remember(strconv.Itoa(i+1), held{Parts: a.Parts, glob: a.wild()})
	}
	m.rememberList("@", list)
}

// block notes a hard limit.
func (m *memory) block(which string) {
	if m.weak {
		m.s.AddUncertain(said.That("with an empty variable it would be blocked: %s", which))
		return
	}
	m.s.hitHardLimit(which)
}

// lookup is the value a variable has in the combination judged now. set is
// false where the text never gives it one.
func (m *memory) lookup(name string) (h held, set bool) {
	if h, ok := m.pick[name]; ok {
		return h, true
	}
	if v := m.vars[name]; v != nil && len(v.values) > 0 {
		if i := slices.IndexFunc(v.values, func(h held) bool { return !h.weak }); i >= 0 {
			return v.values[i], true
		}
		return v.values[0], true
	}
	return held{}, false
}

// worlds calls f once for each combination of the values that the words use.
func (m *memory) worlds(words []*syntax.Word, f func(first bool)) {
	outer, weak := m.pick, m.weak
	defer func() { m.pick, m.weak = outer, weak }()
	var names []string
	for _, w := range words {
		m.namesIn(w, 0, &names)
	}
	if len(names) > 0 && m.tries > maxTries {
		m.worst(names, outer)
		f(true)
		return
	}
	combinations := []map[string]held{outer}
	for _, name := range names {
		if _, fixed := outer[name]; fixed {
			continue
		}
		values := m.vars[name].values
		if len(combinations)*len(values) > maxWorlds {
			m.s.AddUncertain(said.That("variables have more values than can be followed"))
			values = values[:1]
		}
		var next []map[string]held
		for _, c := range combinations {
			for _, h := range values {
				more := map[string]held{name: h}
				for k, v := range c {
					more[k] = v
				}
				next = append(next, more)
			}
		}
		combinations = next
	}
	for i, c := range combinations {
		if i > 0 {
			if m.tries++; m.tries > maxTries {
				m.s.AddUncertain(said.That("variables have more values than can be followed"))
				return
			}
		}
		m.pick, m.weak = c, false
		for _, h := range c {
			m.weak = m.weak || h.weak
		}
		f(i == 0)
	}
}

// worst picks for each variable the value that is most likely to hit a hard
// limit, where there are too many combinations to judge each.
func (m *memory) worst(names []string, outer map[string]held) {
	pick := map[string]held{}
	for k, v := range outer {
		pick[k] = v
	}
	for _, name := range names {
		if _, fixed := outer[name]; fixed {
			continue
		}
		if v := m.vars[name]; len(v.worst.Parts) > 0 {
			pick[name] = v.worst
		}
	}
	m.pick = pick
}

// namesIn collects the variables of a word that have several values.
func (m *memory) namesIn(w *syntax.Word, depth int, names *[]string) {
	if w == nil || w.Lit() != "" || !m.ambiguous || depth > 4 {
		return
	}
	add := func(name string) {
		if v := m.vars[name]; v != nil && len(v.values) > 1 && !slices.Contains(*names, name) {
			*names = append(*names, name)
		}
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		if !ok || p.Param == nil {
			return true
		}
		if wholeList(p) {
			add(listName(p))
			return true
		}
		add(p.Param.Value)
		if p.Excl {
			if v := m.vars[p.Param.Value]; v != nil {
				for _, h := range v.values {
					if name, ok := h.Text(); ok {
						add(name)
					}
				}
			}
		}
		return true
	})
}

// wholeList says that a parameter stands for all elements: $@, ${a[*]}.
func wholeList(p *syntax.ParamExp) bool {
	if p.Param.Value == "@" || p.Param.Value == "*" {
		return true
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

func (m *memory) keepFile(name, text Parts, sc *scope) {
	if f := m.fileName(name, sc); f.path != "" && len(m.files) < maxValues && text.length() < MaxChars {
		m.files[f] = slices.Concat(m.files[f], text)
	}
}

func (m *memory) fileName(name Parts, sc *scope) fileName {
	return fileName{m.at.place(name.filled("_"), sc).End(), name.isOpen()}
}

// fileText is what the text itself wrote into a file.
func (m *memory) fileText(a arg, sc *scope) Parts {
	if len(a.feeds) > 0 || len(m.files) == 0 || a.is("") {
		return a.feeds
	}
	return m.files[m.fileName(a.Parts, sc)]
}
