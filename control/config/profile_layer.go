package config

import (
	"encoding/json"
	"slices"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// profileModes are the modes of sessions that modes of a profile are.
var profileModes = map[string]string{"ask": "ask", "edit": "agent"}

// follow puts the rules of a profile behind all others but those of the command line, which
// stays the last word.
func (s *Settings) follow(p Profile, typed *document) {
	s.Profile = p
	over := map[string]bool{}
	if typed != nil {
		for path := range typed.values {
			over[path] = true
		}
	}
	at := len(s.Layers)
	if at > 0 && s.Layers[at-1].Source == argumentsSource {
		at--
	}
	for path, word := range map[string]string{runtimePath + "mode.default": profileModes[p.Mode], "model": p.Model} {
		if word != "" && !over[path] {
			s.Name(path, word, Source{Source: profileSource})
		}
	}
	_ = json.Unmarshal(s.Values["model"], &s.Model)                           // a text
	_ = json.Unmarshal(s.Values[runtimePath+"mode.default"], &s.Mode.Default) // a text
	s.Layers = slices.Insert(s.Layers, at, control.Layer{Source: profileSource, Rules: p.Rules})
	s.Rules = control.Compile(s.Layers)
}
