package tool

import (
	"slices"
	"strings"
)

// Set is the tools of one agent, in the order they are shown to a model. The
// zero Set is empty.
type Set struct {
	tools []Tool
}

// NewSet returns a set of tools in the given order; a later tool with the name
// of an earlier one is dropped.
func NewSet(tools ...Tool) Set {
	var s Set
	for _, t := range tools {
		if _, taken := s.exact(t.Spec().Name); !taken {
			s.tools = append(s.tools, t)
		}
	}
	return s
}

// With returns a set that also has tools.
func (s Set) With(tools ...Tool) Set {
	return NewSet(append(slices.Clone(s.tools), tools...)...)
}

// Only returns the tools whose names are listed, in the set's own order.
func (s Set) Only(names ...string) Set {
	var out Set
	for _, t := range s.tools {
		if slices.Contains(names, t.Spec().Name) {
			out.tools = append(out.tools, t)
		}
	}
	return out
}

// Lookup finds a tool by the name a model used: exactly, then without regard to
// case, then without a "functions." prefix.
func (s Set) Lookup(name string) (Tool, bool) {
	if t, ok := s.exact(name); ok {
		return t, true
	}
	for _, n := range []string{name, strings.TrimPrefix(name, "functions.")} {
		for _, t := range s.tools {
			if strings.EqualFold(t.Spec().Name, n) {
				return t, true
			}
		}
	}
	return nil, false
}

func (s Set) exact(name string) (Tool, bool) {
	for _, t := range s.tools {
		if t.Spec().Name == name {
			return t, true
		}
	}
	return nil, false
}

// Specs describes the tools in order.
func (s Set) Specs() []Spec {
	specs := make([]Spec, len(s.tools))
	for i, t := range s.tools {
		specs[i] = t.Spec()
	}
	return specs
}

// Names lists the tools in order.
func (s Set) Names() []string {
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Spec().Name
	}
	return names
}
