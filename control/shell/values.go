package shell

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	switch ok = ok && utf8.ValidString(text); {
	case !ok:
	case p.Slice != nil:
		text, ok = sliced(text, p.Slice)
	case p.Repl != nil:
		pattern := e.r.value(p.Repl.Orig, e.sc)
		from, plain := pattern.Text()
		to, also := e.r.value(p.Repl.With, e.sc).Text()
		if ok = plain && also && !pattern.wild() && from != "" && !strings.ContainsAny(from[:1], "#%"); p.Repl.All {
			text = strings.ReplaceAll(text, from, to)
		} else {
			text = strings.Replace(text, from, to, 1)
		}
	default:
		var word string
		if word, ok = e.r.value(p.Exp.Word, e.sc).Text(); ok {
			text, ok = applied(p.Exp.Op, text, word)
		}
	}
	if !ok {
		return notKnown
	}
	return known(text)
}

func applied(op syntax.ParExpOperator, text, word string) (string, bool) {
	switch op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		for i := range len(text) + 1 {
			cut := len(text) - i
			if op == syntax.RemLargeSuffix {
				cut = i
			}
			if MatchWild(word, text[cut:]) {
				return text[:cut], true
			}
		}
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		for i := range len(text) + 1 {
			cut := i
			if op == syntax.RemLargePrefix {
				cut = len(text) - i
			}
			if MatchWild(word, text[:cut]) {
				return text[cut:], true
			}
		}
	case syntax.UpperAll:
		return strings.ToUpper(text), true
	case syntax.LowerAll:
		return strings.ToLower(text), true
	case syntax.UpperFirst, syntax.LowerFirst:
		if text == "" {
			return "", true
		}
		if op == syntax.UpperFirst {
			return strings.ToUpper(text[:1]) + text[1:], true
		}
		return strings.ToLower(text[:1]) + text[1:], true
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return word, true
	case syntax.OtherParamOps:
		return text, word == "Q" || word == "E" || word == "L" && text == strings.ToLower(text)
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if text == "" {
			return word, true
		}
		return text, true
	}
	return text, true
}

func sliced(text string, s *syntax.Slice) (string, bool) {
	from, ok := plainNumber(s.Offset)
	if !ok || !isASCII(text) {
		return "", false
	}
	if from < 0 {
		from = max(0, len(text)+from)
	}
	from = min(from, len(text))
	if s.Length == nil {
		return text[from:], true
	}
	n, ok := plainNumber(s.Length)
	if n < 0 {
		n = len(text) - from + n
	}
	if !ok || n < 0 {
		return "", false
	}
	return text[from:min(from+n, len(text))], true
}

func plainNumber(x syntax.ArithmExpr) (int, bool) {
	switch x := x.(type) {
	case *syntax.Word:
		n, err := strconv.Atoi(x.Lit())
		return n, err == nil
	case *syntax.ParenArithm:
		return plainNumber(x.X)
	case *syntax.UnaryArithm:
		n, ok := plainNumber(x.X)
		return -n, ok && x.Op == syntax.Minus && !x.Post
	}
	return 0, false
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c > 127 })
}
