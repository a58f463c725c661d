package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/tailscale/hujson"

	"github.com/agent-sidecar/agent-sidecar/control"
)

// Profile is one entry of `profiles`: what holds for work that nobody watches. What is
// empty is as without it.
type Profile struct {
	// Rules come behind all others of the configuration.
	Rules  []control.Rule `json:"rules"`
	Mode   string         `json:"mode"` // one of ProfileModes
	Agent  string         `json:"agent"`
	Model  string         `json:"model"`
	Budget struct {       // of one run
		Tokens int64   `json:"tokens"`
		Cost   float64 `json:"cost"` // USD
	} `json:"budget"`
}

// ProfileModes are what a profile may have as its mode: the words of run --mode.
var ProfileModes = []string{"ask", "edit", "plan"}

var profileMembers = []string{"rules", "mode", "agent", "model", "budget"}

// takeProfiles decodes the profiles one by one. One with a mistake in it cannot be used: half
// of what holds for unattended work would be another thing. Only the user's own file has any.
func (d *document) takeProfiles(v *hujson.Value) {
	object, ok := v.Value.(*hujson.Object)
	if !ok || len(object.Members) == 0 {
		return
	}
	if d.source != "config" {
		d.say("warning", v.StartOffset, "profiles apply only in the user's own configuration; here they are ignored")
		return
	}
	d.profiles = map[string]Profile{}
	for i := range object.Members {
		m := &object.Members[i]
		name := m.Name.Value.(hujson.Literal).String()
		p, err := readProfile(&m.Value)
		if err != nil {
			d.say("error", m.Name.StartOffset, "profile %s cannot be used: %v", control.Title(name, 60), err)
			continue
		}
		d.profiles[name] = p
	}
}

// readProfile reads one profile, or says what is wrong with it.
func readProfile(v *hujson.Value) (p Profile, err error) {
	object, is := v.Value.(*hujson.Object)
	if !is {
		return p, errors.New("it must be an object")
	}
	for i := range object.Members {
		if name := object.Members[i].Name.Value.(hujson.Literal).String(); !slices.Contains(profileMembers, name) {
			return p, fmt.Errorf("no profile has a member %q", name)
		}
	}
	plain := v.Clone()
	plain.Standardize()
	if err := jsonexp.Unmarshal(plain.Pack(), &p, jsonexp.RejectUnknownMembers(true)); err != nil {
		return p, err
	}
	for i := range p.Rules {
		p.Rules[i].By = "" // nobody has answered anything
	}
	for _, problem := range control.Compile([]control.Layer{{Source: profileSource, Rules: p.Rules}}).Problems() {
		return p, fmt.Errorf("rule %q: %s", problem.Rule.Pattern, problem.Message)
	}
	switch {
	case p.Mode != "" && !slices.Contains(ProfileModes, p.Mode):
		return p, fmt.Errorf("its mode must be one of: %s", strings.Join(ProfileModes, ", "))
	case p.Mode == "plan" && p.Agent != "":
		return p, errors.New("the mode plan is an agent, so it cannot have another one")
	case p.Budget.Tokens < 0 || p.Budget.Cost < 0 || p.Budget.Cost > mostCost:
		return p, errors.New("a number of its budget is not possible")
	}
	return p, nil
}

// profileSource is where the rules of a profile come from.
const profileSource = "profile"

// chosen is the profile that the command line names. An error lists those that there are.
func (d *document) chosen(name string) (Profile, error) {
	p, is := d.profiles[name]
	if is {
		return p, nil
	}
	for _, problem := range d.diagnostics {
		if strings.HasPrefix(problem.Message, "profile "+control.Title(name, 60)+" cannot be used") {
			problem.File = d.file
			return p, fmt.Errorf("%s", problem)
		}
	}
	if len(d.profiles) == 0 {
		return p, fmt.Errorf("there is no profile %q: the configuration has none", name)
	}
	return p, fmt.Errorf("there is no profile %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(d.profiles)), ", "))
}
