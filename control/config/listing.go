package config

import "github.com/agent-sidecar/agent-sidecar/control"

// ListedRule is a rule that is in force, with where it comes from. Index counts
// within its source, from 0.
type ListedRule struct {
	control.Rule
	Source string `json:"source"`
	Index  int    `json:"index"`
	control.Place
	// Problem is why the rule cannot be used as written; it counts as ask for
	// its whole domain then, or for nothing where the domain is unknown.
	Problem string `json:"problem,omitempty"`
}

// ListRules are all rules in the order in which they are read: the last match
// wins.
func (s *Settings) ListRules() []ListedRule {
	problems := map[control.RuleRef]string{}
	for _, p := range s.Rules.Problems() {
		problems[control.RuleRef{Source: p.Source, Index: p.Index}] = p.Message
	}
	out := []ListedRule{}
	for _, layer := range s.Layers {
		for i, r := range layer.Rules {
			if r == (control.Rule{}) {
				continue // a slot that keeps the indexes of a layer
			}
			out = append(out, ListedRule{r, layer.Source, i, s.Place(layer.Source, i), problems[control.RuleRef{Source: layer.Source, Index: i}]})
		}
	}
	return out
}
