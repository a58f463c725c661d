package tool

import (
	"encoding/json"
	"slices"
	"strings"
)

// Need is one thing that a command asks for beyond what its sandbox gives it.
type Need string

const (
	NeedNetwork    Need = "network"    // the network
	NeedUnconfined Need = "unconfined" // no sandbox
	NeedGit        Need = "git"        // to change repositories of the workspace
	NeedDirect     Need = "direct"     // a job: to change the workspace while it runs
)

var needs = []Need{NeedNetwork, NeedUnconfined, NeedGit, NeedDirect}

// Needs are all that one command asks for, sorted and each once. In JSON they are an
// array of strings; a string alone, as older clients and logs have it, is an array of one.
type Needs []Need

// Has says that x is among the needs.
func (n Needs) Has(x Need) bool { return slices.Contains(n, x) }

// With are the needs and x.
func (n Needs) With(x Need) Needs { return tidy(append(slices.Clone(n), x)) }

// Without are the needs but x.
func (n Needs) Without(x Need) Needs {
	return slices.DeleteFunc(slices.Clone(n), func(y Need) bool { return y == x })
}

// Unknown are those that mean nothing. They grant nothing, and are shown to the person.
func (n Needs) Unknown() Needs {
	return slices.DeleteFunc(slices.Clone(n), func(x Need) bool { return slices.Contains(needs, x) })
}

// String lists the needs for people.
func (n Needs) String() string {
	words := make([]string, len(n))
	for i, x := range n {
		words[i] = string(x)
	}
	return strings.Join(words, ", ")
}

// UnmarshalJSON reads an array of strings, or one string.
func (n *Needs) UnmarshalJSON(raw []byte) error {
	var one Need
	if json.Unmarshal(raw, &one) == nil {
		*n = nil
		if one != "" {
			*n = Needs{one}
		}
		return nil
	}
	var list []Need
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	*n = tidy(list)
	return nil
}

func tidy(list []Need) Needs {
	list = slices.DeleteFunc(list, func(x Need) bool { return x == "" })
	slices.Sort(list)
	return slices.Compact(list)
}
