package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	jsonexp "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agent-sidecar/agent-sidecar/control"
	"github.com/agent-sidecar/agent-sidecar/control/config"
	"github.com/agent-sidecar/agent-sidecar/tool"
)

// Call is what a hook is told, on its stdin as JSON. Which members there
// are depends on Hook.
type Call struct {
	Hook      string          `json:"hook"`
	SessionID string          `json:"sessionId"`
	RunID     string          `json:"runId"`
	CallID    string          `json:"callId,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Output    *string         `json:"output,omitempty"`
	Params    *config.Params  `json:"params,omitempty"`
	System    *string         `json:"system,omitempty"`
	// Untold is why the hook cannot be told what it is about; then it fails.
	Untold string `json:"-"`
}

// members are what each kind of hook may say. Every other member is a failure,
// so that a typing error is noticed and no hook does the work of another kind.
var members = map[string][]string{
	config.ToolBefore: {"input", "refuse"},
	config.ToolAfter:  {"output"},
	config.ChatParams: {"params"},
	config.ChatSystem: {"system"},
}

// take puts the answer of a hook into the call: it says whether something has
// changed, or why the call must not happen. After an error the call is as it was.
func (c *Call) take(stdout []byte) (changed bool, refused *string, err error) {
	text := bytes.TrimSpace(stdout)
	if len(text) == 0 {
		return false, nil, nil
	}
	var said map[string]jsontext.Value
	if text[0] != '{' {
		return false, nil, errors.New("its answer is not a JSON object")
	}
	if err := jsonexp.Unmarshal(text, &said); err != nil {
		return false, nil, fmt.Errorf("its answer cannot be read: %w", err)
	}
	for name := range said {
		if !slices.Contains(members[c.Hook], name) {
			return false, nil, fmt.Errorf("a hook of %s cannot say %q", c.Hook, control.Title(name, 60))
		}
	}
	if raw, ok := said["refuse"]; ok {
		reason, err := textOf("refuse", raw)
		if err != nil {
			return false, nil, err
		}
		return false, &reason, nil
	}
	switch {
	case said["input"] != nil:
		changed, err = c.takeInput(said["input"])
	case said["output"] != nil:
		changed, err = c.takeOutput(said["output"])
	case said["params"] != nil:
		changed, err = c.takeParams(said["params"])
	case said["system"] != nil:
		changed, err = c.takeSystem(said["system"])
	}
	return changed, nil, err
}

func textOf(member string, v jsontext.Value) (text string, err error) {
	if v.Kind() != '"' || jsonexp.Unmarshal(v, &text) != nil {
		return "", fmt.Errorf("%q must be a text", member)
	}
	return text, nil
}

func (c *Call) takeInput(v jsontext.Value) (bool, error) {
	if v.Kind() != '{' {
		return false, errors.New(`"input" must be an object`)
	}
	next, err := tool.Canonical(json.RawMessage(v))
	if err != nil {
		return false, fmt.Errorf(`"input" cannot be read: %w`, err)
	}
	if old, err := tool.Canonical(c.Input); err == nil && bytes.Equal(old, next) {
		return false, nil
	}
	c.Input = next
	return true, nil
}

func (c *Call) takeOutput(v jsontext.Value) (bool, error) {
	text, err := textOf("output", v)
	if err != nil {
		return false, err
	}
	changed := c.Output == nil || *c.Output != text
	c.Output = &text
	return changed, nil
}

// takeSystem adds a text to the system prompt, last. What is there cannot be
// taken away.
func (c *Call) takeSystem(v jsontext.Value) (bool, error) {
	text, err := textOf("system", v)
	if err != nil {
		return false, err
	}
	if text = strings.TrimSpace(text); text == "" {
		return false, nil
	}
	if c.System != nil && *c.System != "" {
		text = *c.System + "\n\n" + text
	}
	c.System = &text
	return true, nil
}

// takeParams changes single parameters: absent stays, null clears. Only those
// that are sent to a model are known.
func (c *Call) takeParams(v jsontext.Value) (bool, error) {
	var all map[string]jsontext.Value
	if v.Kind() != '{' || jsonexp.Unmarshal(v, &all) != nil {
		return false, errors.New(`"params" must be an object`)
	}
	given := map[string]*float64{}
	for name, value := range all {
		var n *float64
		if name != "reasoningEffort" && jsonexp.Unmarshal(value, &n) != nil {
			return false, fmt.Errorf("the parameter %q must be a number", control.Title(name, 60))
		}
		given[name] = n
	}
	next := config.Params{}
	if c.Params != nil {
		next = *c.Params
	}
	for name, n := range given {
		if n != nil && *n < 0 {
			return false, fmt.Errorf("the parameter %q is below 0", name)
		}
		switch name {
		case "temperature":
			next.Temperature = n
		case "topP":
			if n != nil && *n > 1 {
				return false, errors.New(`the parameter "topP" is over 1`)
			}
			next.TopP = n
		case "maxTokens":
			next.MaxTokens = nil
			if n != nil {
				if *n < 1 || *n > 1<<31 || *n != math.Trunc(*n) {
					return false, errors.New(`the parameter "maxTokens" must be a whole number from 1 to 2147483648`)
				}
				whole := int64(*n)
				next.MaxTokens = &whole
			}
		case "reasoningEffort":
			if err := takeEffort(all[name], &next.Effort); err != nil {
				return false, err
			}
		default:
			return false, fmt.Errorf("there is no parameter %q", control.Title(name, 60))
		}
	}
	c.Params = &next
	return len(given) > 0, nil
}

// takeEffort takes a level of effort; null clears it.
func takeEffort(v jsontext.Value, effort *string) error {
	var level *string
	if jsonexp.Unmarshal(v, &level) != nil || level != nil && !slices.Contains(config.Efforts, *level) {
		return fmt.Errorf("the parameter %q must be one of %s", "reasoningEffort", strings.Join(config.Efforts, ", "))
	}
	*effort = ""
	if level != nil {
		*effort = *level
	}
	return nil
}
