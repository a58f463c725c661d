package session

import (
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// ParamsPatch changes single parameters of the model: one that is absent stays,
// null clears it, and null instead of them all clears all (protocol §1, ruling 44).
type ParamsPatch struct {
	set   model.Params
	clear []string
}

// UnmarshalJSON tells null from absent.
func (p *ParamsPatch) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, &p.set); err != nil {
		return err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return err
	}
	if members == nil { // null
		p.clear = []string{"temperature", "topP", "maxTokens"}
	}
	for name, value := range members {
		if string(value) == "null" {
			p.clear = append(p.clear, name)
		}
	}
	return nil
}

// check refuses what no provider could take; which of the rest one takes is its own.
func (p ParamsPatch) check() error {
	switch {
	case p.set.Temperature != nil && *p.set.Temperature < 0:
		return &InvalidError{"params.temperature", "is less than 0"}
	case p.set.TopP != nil && (*p.set.TopP < 0 || *p.set.TopP > 1):
		return &InvalidError{"params.topP", "is not from 0 to 1"}
	case p.set.MaxTokens != nil && *p.set.MaxTokens < 1:
		return &InvalidError{"params.maxTokens", "is less than 1"}
	}
	return nil
}

// on is old with the patch applied.
func (p ParamsPatch) on(old model.Params) model.Params {
	for _, name := range p.clear {
		switch name {
		case "temperature":
			old.Temperature = nil
		case "topP":
			old.TopP = nil
		case "maxTokens":
			old.MaxTokens = nil
		}
	}
	return overlay(old, p.set)
}
