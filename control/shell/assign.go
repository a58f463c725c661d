package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declare reads export, local, readonly, declare: they change what later
// commands do, so they ask (ruling 92).
func (r *reader) declare(c *syntax.DeclClause, sc *scope, depth int) {
	r.s.Doubt("the command uses " + c.Variant.Value)
	r.m.opaque = true
	for _, a := range c.Args {
		r.assign(a, sc, depth, true)
	}
}

// assign remembers literal values. Anything but a lower-case local may steer
// the programs that follow (PATH, LD_PRELOAD, GIT_SSH_COMMAND) and asks.
func (r *reader) assign(a *syntax.Assign, sc *scope, depth int, declared bool) {
	if a.Name == nil {
		r.word(a.Value, sc, depth)
		return
	}
	name := a.Name.Value
	if !declared && !localName(name) || strings.HasSuffix(name, "_proxy") {
		r.s.Doubt("the command sets " + name)
	}
	if !localName(name) && a.Value != nil && !r.probing {
		r.probe(r.value(a.Value, sc).text, false, sc) // PAGER, GIT_SSH_COMMAND, PROMPT_COMMAND
	}
	if sc.maybe && a.Array == nil {
		r.remember(name, held{weak: true}) // or it is not set at all
	}
	if a.Value != nil {
		r.substitutions(a.Value, sc, depth) // once, not for each combination
	}
	r.worlds([]*syntax.Word{a.Value}, func(bool) { r.given(a, sc, depth) })
}

// given remembers the value of an assignment.
func (r *reader) given(a *syntax.Assign, sc *scope, depth int) {
	name := a.Name.Value
	if a.Array != nil {
		var list []string
		for _, el := range a.Array.Elems {
			v := r.word(el.Value, sc, depth)
			if v.glob || len(list) > maxValues {
				r.remember(name, held{text: v.text, glob: v.glob})
				continue
			}
			list = append(list, v.fields...)
		}
		for _, text := range list {
			r.remember(name, held{text: text})
		}
		if old := r.m.vars[name+"[@]"]; a.Append && old != nil {
			for _, h := range slices.Clone(old.values) {
				r.remember(name+"[@]", held{text: h.text + fieldBreak + strings.Join(list, fieldBreak)})
			}
		}
		r.remember(name+"[@]", held{text: strings.Join(list, fieldBreak)})
		return
	}
	if a.Value == nil {
		r.remember(name, held{})
		return
	}
	v := r.value(a.Value, sc)
	if r.at.Home != "" && strings.HasPrefix(v.text, "~/") && !v.quoted {
		v.text = r.at.Home + v.text[1:]
	}
	if v.unset {
		v.text = v.bare
	}
	if strings.Contains(v.text, unknownPart) && !strings.Contains(strings.Trim(v.text, unknownPart), unknownPart) {
		r.remember(name, held{text: v.text, number: v.number})
		return
	}
	if a.Append {
		if old := r.m.vars[name]; old != nil {
			for _, h := range slices.Clone(old.values) {
				r.remember(name, held{text: h.text + v.text})
			}
		}
	}
	r.calculated(v.text, sc, depth)
	r.remember(name, held{text: v.text, glob: false, number: v.number})
}

func localName(s string) bool {
	for _, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
