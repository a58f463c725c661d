package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agent-sidecar/agent-sidecar/internal/said"
)

// declare reads export, local, readonly, declare: they change what later
// commands do, so they ask.
func (r *reader) declare(c *syntax.DeclClause, sc *scope, depth int) {
	r.s.AddUncertain(said.That("the command uses %s", c.Variant.Value))
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
		r.s.AddUncertain(said.That("the command sets %s", name))
	}
	if !localName(name) && a.Value != nil && !r.probing {
		r.probe(r.value(a.Value, sc).Parts, false, sc) // PAGER, GIT_SSH_COMMAND, PROMPT_COMMAND
	}
	if sc.maybe && a.Array == nil {
		r.m.remember(name, held{weak: true}) // or it is not set at all
	}
	if a.Value != nil {
		r.substitutions(a.Value, sc, depth) // once, not for each combination
	}
	r.m.worlds([]*syntax.Word{a.Value}, func(bool) { r.given(a, sc, depth) })
}

// given remembers the value of an assignment.
func (r *reader) given(a *syntax.Assign, sc *scope, depth int) {
	name := a.Name.Value
	if a.Array != nil {
		var list []Parts
		for _, el := range a.Array.Elems {
			v := r.word(el.Value, sc, depth)
			if v.wild() || len(list) > maxValues {
				r.m.remember(name, held{Parts: v.Parts, glob: v.wild()})
			}
			if len(list) <= maxValues {
				list = append(list, v.fields...)
			}
		}
		for i := range list {
			if list[i].wild() {
				continue // it stands for names of files, whatever quotes are around the variable
			}
			list[i] = list[i].literal()
			r.m.remember(name, held{Parts: list[i]})
		}
		if old := r.m.vars[name+"[@]"]; a.Append && old != nil {
			for _, h := range slices.Clone(old.values) {
				r.m.rememberList(name+"[@]", slices.Concat(h.list, list))
			}
		}
		r.m.rememberList(name+"[@]", list)
		return
	}
	if a.Value == nil {
		r.m.remember(name, held{})
		return
	}
	v := r.value(a.Value, sc)
	if v.unset {
		v.Parts = v.bare
	}
	if a.Append {
		if old := r.m.vars[name]; old != nil {
			for _, h := range slices.Clone(old.values) {
				r.m.remember(name, held{Parts: slices.Concat(h.Parts, v.Parts)})
			}
		}
	}
	r.calculated(v.Parts, sc, depth)
	r.m.remember(name, held{Parts: v.Parts, number: v.number})
}

func localName(s string) bool {
	for _, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
