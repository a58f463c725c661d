package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/tailscale/hujson"
)

const rulesPath = runtimePath + "permission.rules"

// AddRules writes rules to the end of the user's own, where the last match wins,
// and works at once in every session. Comments stay. Rules that are at the end
// already, in this order, are not written again.
func (s *Store) AddRules(rules ...control.Rule) error {
	for _, r := range rules {
		if err := control.CheckRule(r); err != nil {
			return err
		}
	}
	return s.edit("add the rule", func(text []byte) ([]byte, error) {
		doc, err := readDocument("config", text)
		if err != nil {
			return nil, err
		}
		if n := len(doc.rules); n >= len(rules) && slices.Equal(doc.rules[n-len(rules):], rules) {
			return text, nil
		}
		for _, r := range rules {
			if text, err = appendJSON(text, rulesPath, r); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

// RemoveRule takes a rule out of the user's file; comments stay. With an index
// it is the rule at that place, which must still be this one: another process
// may have written meanwhile. Without (a negative one) it is the last one that
// is equal. The result is where it stood.
func (s *Store) RemoveRule(r control.Rule, index int) (at int, err error) {
	err = s.edit("remove the rule", func(text []byte) ([]byte, error) {
		doc, err := readDocument("config", text)
		if err != nil {
			return nil, err
		}
		if at = index; at < 0 {
			for i, have := range doc.rules {
				if have == r {
					at = i
				}
			}
		}
		switch {
		case at < 0 || at >= len(doc.rules):
			return nil, &control.RuleError{Member: "rule", Reason: "there is no such rule in the configuration"}
		case doc.rules[at] != r:
			return nil, &control.RuleError{Member: "index", Reason: fmt.Sprintf("rule %d is another one now: %s", at, control.RuleText(doc.rules[at]))}
		}
		return removeElement(text, rulesPath, at)
	})
	return at, err
}

// removeElement takes element i out of the list at a dotted path, with the comma
// that belongs to it, and its line where nothing else is on it. Comments
// stay.
func removeElement(text []byte, path string, i int) ([]byte, error) {
	return edited(text, func(body []byte, root *hujson.Value) ([]splice, error) {
		list := root
		for _, name := range strings.Split(path, ".") {
			object, _ := list.Value.(*hujson.Object)
			if list = member(object, name); list == nil {
				return nil, fmt.Errorf("%s is not there", path)
			}
		}
		array, ok := list.Value.(*hujson.Array)
		if !ok || i < 0 || i >= len(array.Elements) {
			return nil, errors.New("there is no such element")
		}
		var before *hujson.Value
		if i > 0 {
			before = &array.Elements[i-1]
		}
		e := &array.Elements[i]
		return without(body, e.StartOffset, e, before, i+1 == len(array.Elements)), nil
	})
}
