package session

import (
	"encoding/json"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// ParamsPatch changes single parameters of the model: one that is absent stays,
// null clears it (protocol §1, ruling 44).
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
	for name, value := range members {
		if string(value) == "null" {
			p.clear = append(p.clear, name)
		}
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
