package config

import (
	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// rulePlaces knows where the rules of a configuration stand: the line of rule i
// of a source, and those of the keys that became rules.
type rulePlaces struct {
	file   string
	config []int // lines of the user's rules, by their index
	keys   map[tool.Domain]int
}

// settingKeys are the keys that keyRules turns into rules, by their domain.
var settingKeys = map[tool.Domain]string{tool.DomainEdit: runtimePath + "edit.outside", tool.DomainWebFetch: runtimePath + "web.allowedHosts", tool.DomainMCP: "mcp"}

func placesOf(d *document, file string) rulePlaces {
	p := rulePlaces{file: file, keys: map[tool.Domain]int{}}
	for _, offset := range d.ruleAt {
		line, _, _ := d.place(offset)
		p.config = append(p.config, line)
	}
	for domain, path := range settingKeys {
		if offset, given := d.at[path]; given {
			p.keys[domain], _, _ = d.place(offset)
		}
	}
	return p
}

// Place says where a rule stands, as far as it is in the user's file: those
// of the configuration, those that `always` stored, and those that follow from
// another key. Built-in and inline rules have no place.
func (s *Settings) Place(source string, index int) control.Place {
	switch {
	case index < 0:
	case source == "config" || source == "always":
		if index < len(s.places.config) {
			return control.Place{File: s.places.file, Line: s.places.config[index]}
		}
	case source == "settings":
		domain := s.settingDomain(index)
		if line := s.places.keys[domain]; line > 0 && s.Origin[settingKeys[domain]] == "config" {
			return control.Place{File: s.places.file, Line: line}
		}
	}
	return control.Place{}
}

func (s *Settings) settingDomain(index int) tool.Domain {
	for _, l := range s.Layers {
		if l.Source == "settings" && index < len(l.Rules) {
			return l.Rules[index].Domain
		}
	}
	return ""
}
