package control

import (
	"slices"

	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Reading is what decides about reads in one session at one moment: of the session, and of
// each above it, what a policy knows, as far as reads depend on it. It is plain data, so
// that a search on another machine is bound by the rules of this one.
type Reading []Facts

// ReadingOf is the Reading of sessions whose policies know these facts.
func ReadingOf(facts ...Facts) Reading {
	out := make(Reading, len(facts))
	for i, f := range facts {
		layers := make([]Layer, len(f.Layers))
		for n, l := range f.Layers {
			layers[n] = l
			layers[n].Rules = aboutReads(l.Rules)
		}
		further := make([][]Rule, len(f.Further))
		for n, rules := range f.Further {
			further[n] = aboutReads(rules)
		}
		f.Layers = layers
		f.Further = further
		f.Grants = aboutReads(f.Grants)
		f.Ceiling = aboutReads(f.Ceiling)
		out[i] = f
	}
	return out
}

// aboutReads leaves out all other rules. No rules stay none, because an empty ceiling is one.
func aboutReads(rules []Rule) []Rule {
	if rules == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return r.Domain != tool.DomainRead })
}

// At is the Reading on the machine of a resolver.
func (r Reading) At(resolver Resolver) Reading {
	out := slices.Clone(r)
	for i := range out {
		out[i].Resolver = resolver
	}
	return out
}

// May is Readable under all of the facts.
func (r Reading) May(base string) func(object string) bool {
	may := make([]func(string) bool, len(r))
	for i, f := range r {
		may[i] = Readable(f, base)
	}
	return func(object string) bool {
		return !slices.ContainsFunc(may, func(may func(string) bool) bool { return !may(object) })
	}
}
