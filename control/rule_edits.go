package control

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const rulesPath = runtimePath + "permission.rules"

// RuleError is why a rule cannot be written or taken out, and which member of it
// is wrong ("rule" for the whole). Its text is for the person who wrote it.
type RuleError struct {
	Member string
	Reason string
}

func (e *RuleError) Error() string { return e.Reason }

// CheckRule says what is wrong with a rule that a person wants to add: where a
// file would get a diagnostic, a client is told before anything is written.
func CheckRule(r Rule) error {
	switch {
	case r.Domain == "":
		return &RuleError{"domain", "a rule needs a domain"}
	case !domains[r.Domain]:
		return &RuleError{"domain", fmt.Sprintf("there is no domain %q", r.Domain)}
	case onlyAsks(r.Domain) || r.Domain == "internal":
		return &RuleError{"domain", fmt.Sprintf("no rule has a say in %s", r.Domain)}
	case r.Decision != "allow" && r.Decision != "ask" && r.Decision != "deny":
		return &RuleError{"decision", fmt.Sprintf("the decision %q is neither allow nor ask nor deny", r.Decision)}
	case r.By != "":
		return &RuleError{"by", "only the answer to a question writes that it was one"}
	}
	if _, err := compilePattern(r); err != nil {
		return &RuleError{"pattern", err.Error()}
	}
	return nil
}

// AddRules writes rules to the end of the user's own, where the last match wins,
// and works at once in every session (protocol §3 agent/rules). Comments stay.
// Rules that stand at the end already, in this order, are not written again.
func (s *Store) AddRules(rules ...Rule) error {
	for _, r := range rules {
		if err := CheckRule(r); err != nil {
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
func (s *Store) RemoveRule(r Rule, index int) (at int, err error) {
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
			return nil, &RuleError{"rule", "there is no such rule in the configuration"}
		case doc.rules[at] != r:
			return nil, &RuleError{"index", fmt.Sprintf("rule %d is another one now: %s", at, ruleText(doc.rules[at]))}
		}
		return removeElement(text, rulesPath, at)
	})
	return at, err
}

// removeElement takes element i out of the list at a dotted path, with the comma
// that belongs to it, and its line where nothing else stands on it. Comments
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
