package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
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

// memory is what one command text holds in its variables and functions.
type memory struct {
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

func newMemory() *memory {
	return &memory{vars: map[string]*variable{}, functions: map[string]*function{}, files: map[fileName]Parts{}, read: map[string]bool{}}
}

// rememberList adds all elements of an array.
func (r *reader) rememberList(name string, list []Parts) {
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
	r.remember(name, h)
}

// remember adds a value to a variable.
func (r *reader) remember(name string, h held) {
	if h.length() > maxValueLength {
		h = held{Parts: notKnown}
	}
	if !h.glob {
		h.Parts = h.literal()
	}
	v := r.m.vars[name]
	if v == nil {
		v = &variable{}
		r.m.vars[name] = v
	}
	switch {
	case slices.ContainsFunc(v.values, h.same):
	case len(v.values) >= maxValues:
		r.s.Doubt("a variable has more values than can be followed")
	default:
		v.values = append(v.values, h)
		if len(v.worst.Parts) == 0 && !h.weak && h.length() < 256 && (mayBeHard().MatchString(h.filled("_")) || r.isRoot(h.Parts, &scope{}, true)) {
			v.worst = h
		}
		r.m.ambiguous = r.m.ambiguous || len(v.values) > 1
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
func (r *reader) positional(argv []arg) {
	var list []Parts
	for i, a := range argv {
		list = append(list, a.Parts)
		r.remember(strconv.Itoa(i+1), held{Parts: a.Parts, glob: a.wild()})
	}
	r.rememberList("@", list)
}

// block notes a hard limit.
func (r *reader) block(which string) {
	if r.m.weak {
		r.s.Doubt("with an empty variable it would be blocked: " + which)
		return
	}
	r.s.block(which)
}

// lookup is the value a variable has in the combination judged now. set is
// false where the text never gives it one.
func (r *reader) lookup(name string) (h held, set bool) {
	if h, ok := r.m.pick[name]; ok {
		return h, true
	}
	if v := r.m.vars[name]; v != nil && len(v.values) > 0 {
		if i := slices.IndexFunc(v.values, func(h held) bool { return !h.weak }); i >= 0 {
			return v.values[i], true
		}
		return v.values[0], true
	}
	return held{}, false
}

// worlds calls f once for each combination of the values that the words use.
func (r *reader) worlds(words []*syntax.Word, f func(first bool)) {
	outer, weak := r.m.pick, r.m.weak
	defer func() { r.m.pick, r.m.weak = outer, weak }()
	var names []string
	for _, w := range words {
		r.namesIn(w, 0, &names)
	}
	if len(names) > 0 && r.m.tries > maxTries {
		r.worst(names, outer)
		f(true)
		return
	}
	combinations := []map[string]held{outer}
	for _, name := range names {
		if _, fixed := outer[name]; fixed {
			continue
		}
		values := r.m.vars[name].values
		if len(combinations)*len(values) > maxWorlds {
			r.s.Doubt("variables have more values than can be followed")
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
			if r.m.tries++; r.m.tries > maxTries {
				r.s.Doubt("variables have more values than can be followed")
				return
			}
		}
		r.m.pick, r.m.weak = c, false
		for _, h := range c {
			r.m.weak = r.m.weak || h.weak
		}
		f(i == 0)
	}
}

// worst picks for each variable the value that is most likely to hit a hard
// limit, where there are too many combinations to judge each.
func (r *reader) worst(names []string, outer map[string]held) {
	pick := map[string]held{}
	for k, v := range outer {
		pick[k] = v
	}
	for _, name := range names {
		if _, fixed := outer[name]; fixed {
			continue
		}
		if v := r.m.vars[name]; len(v.worst.Parts) > 0 {
			pick[name] = v.worst
		}
	}
	r.m.pick = pick
}

// namesIn collects the variables of a word that have several values.
func (r *reader) namesIn(w *syntax.Word, depth int, names *[]string) {
	if w == nil || w.Lit() != "" || !r.m.ambiguous || depth > 4 {
		return
	}
	add := func(name string) {
		if v := r.m.vars[name]; v != nil && len(v.values) > 1 && !slices.Contains(*names, name) {
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
			if v := r.m.vars[p.Param.Value]; v != nil {
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

// operated is what an operator makes of a value: ${x%y}, ${x/a/b}, ${x:1},
// ${x,,}. Where that is not plain, nothing of it is known.
func (e *evaluation) operated(p *syntax.ParamExp, value Parts) Parts {
	if p.Slice == nil && p.Repl == nil && p.Exp == nil {
		return value
	}
	text, ok := value.Text()
	plain := &syntax.ParamExp{Param: &syntax.Lit{Value: "value"}, Slice: p.Slice}
	word := func(w *syntax.Word) *syntax.Word {
		v := e.r.value(w, e.sc)
		text, known := v.Text()
		// A pattern is one as a whole or not at all.
		ok = ok && known && !strings.Contains(text, `\`) && (v.wild() || !strings.ContainsAny(text, "*?["))
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: text}}}
	}
	switch {
	case !ok || strings.ContainsFunc(text, func(c rune) bool { return c > 127 }): // whose letters are others in other languages
		return notKnown
	case p.Slice != nil:
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x == nil {
				continue
			}
			syntax.Walk(x, func(n syntax.Node) bool {
				w, is := n.(*syntax.Word)
				ok = ok && (!is || digits(w.Lit()))
				return ok && !is
			})
		}
	case p.Repl != nil:
		plain.Repl = &syntax.Replace{All: p.Repl.All, Orig: word(p.Repl.Orig), With: word(p.Repl.With)}
		from, _ := e.r.value(p.Repl.Orig, e.sc).Text()
		ok = ok && from != "" && !strings.ContainsAny(from, "*?[") && !strings.ContainsAny(from[:1], "#%")
	default:
		plain.Exp = &syntax.Expansion{Op: p.Exp.Op, Word: word(p.Exp.Word)}
		switch p.Exp.Op {
		case syntax.AssignUnset:
			plain.Exp.Op = syntax.DefaultUnset
		case syntax.AssignUnsetOrNull:
			plain.Exp.Op = syntax.DefaultUnsetOrNull
		case syntax.OtherParamOps: // of these only what eval makes the same text of again
			how := p.Exp.Word.Lit()
			if ok = ok && (how == "Q" || how == "E"); ok {
				return value
			}
		}
	}
	if !ok {
		return notKnown
	}
	out, err := expand.Literal(&expand.Config{Env: expand.ListEnviron("value=" + text)}, &syntax.Word{Parts: []syntax.WordPart{plain}})
	if err != nil {
		return notKnown
	}
	return known(out)
}
