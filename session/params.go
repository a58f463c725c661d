package session

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-sidecar/agent-sidecar/model"
)

// ParamsPatch changes single parameters of the model: one that is absent stays,
// null clears it.
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

// check refuses values that no provider takes.
func (p *ParamsPatch) check() error {
	if p == nil {
		return nil
	}
	bad := func(name, why string) error { return &InvalidError{"params." + name, why} }
	switch {
	case p.set.Temperature != nil && !(*p.set.Temperature >= 0):
		return bad("temperature", "is negative")
	case p.set.TopP != nil && !(*p.set.TopP >= 0 && *p.set.TopP <= 1):
		return bad("topP", "is not from 0 to 1")
	case p.set.MaxTokens != nil && *p.set.MaxTokens < 1:
		return bad("maxTokens", "is not a number from 1")
	case p.set.Effort != "" && !slices.Contains(model.Efforts, p.set.Effort):
		return bad("reasoningEffort", "is not one of "+strings.Join(model.Efforts, ", "))
	}
	return nil
}

// ClearParams clears them all.
func ClearParams() *ParamsPatch {
	return &ParamsPatch{clear: []string{"temperature", "topP", "maxTokens", "reasoningEffort"}}
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
		case "reasoningEffort":
			old.Effort = ""
		}
	}
	return overlay(old, p.set)
}
