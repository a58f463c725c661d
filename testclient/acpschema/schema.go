// Package acpschema holds what an agent says over the Agent Client Protocol against
// the official schema. It shares no code with what it tests.
package acpschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the official schema. Use Read.
type Schema struct {
	resolved *jsonschema.Resolved
	methods  map[string]definition // by the kind of message and the method
}

// definition is one of the schema that belongs to a method.
type definition struct{ name, side string }

// kinds of messages, as the names of definitions end.
const (
	request      = "Request"
	response     = "Response"
	notification = "Notification"
)

// Read reads a schema. An instance of it is an object whose one member has the name
// of the definition that it must fit.
func Read(raw []byte) (*Schema, error) {
	var all struct {
		Defs map[string]*jsonschema.Schema `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, fmt.Errorf("schema of the Agent Client Protocol: %w", err)
	}
	root := &jsonschema.Schema{Defs: all.Defs, Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	s := &Schema{methods: map[string]definition{}}
	for name, def := range all.Defs {
		root.Properties[name] = &jsonschema.Schema{Ref: "#/$defs/" + name}
		method, _ := def.Extra["x-method"].(string)
		side, _ := def.Extra["x-side"].(string)
		for _, kind := range []string{request, response, notification} {
			if method != "" && strings.HasSuffix(name, kind) {
				s.methods[kind+" "+method] = definition{name, side}
			}
		}
	}
	var err error
	if s.resolved, err = root.Resolve(nil); err != nil {
		return nil, fmt.Errorf("schema of the Agent Client Protocol: %w", err)
	}
	return s, nil
}

// Fits says why a text is not what a definition describes.
func (s *Schema) Fits(definition string, text []byte) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	if err := s.resolved.Validate(map[string]any{definition: value}); err != nil {
		return fmt.Errorf("%s: %w", definition, err)
	}
	return nil
}

// Conversation is one connection: it knows which methods the client has asked for.
type Conversation struct {
	schema *Schema
	asked  map[string]string // by id
}

// Begin follows a connection from its first line.
func (s *Schema) Begin() *Conversation {
	return &Conversation{schema: s, asked: map[string]string{}}
}

// message is one line. Nothing else may be in it.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// Sent is told what the client has sent, which may be anything.
func (c *Conversation) Sent(line []byte) {
	var m message
	if json.Unmarshal(line, &m) == nil && m.Method != "" && m.ID != nil {
		c.asked[string(m.ID)] = m.Method
	}
}

// Received says what is wrong with a line of the agent.
func (c *Conversation) Received(line []byte) error {
	var m message
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return err
	}
	if m.Version != "2.0" {
		return errors.New("not JSON-RPC 2.0")
	}
	if m.ID != nil {
		if err := c.schema.Fits("RequestId", m.ID); err != nil {
			return err
		}
	}
	if m.Method == "" {
		return c.answer(m)
	}
	kind := notification
	if m.ID != nil {
		kind = request
	}
	return c.schema.said(kind, m.Method, m.Params, "agent")
}

// answer holds an answer against the method of the request that it answers.
func (c *Conversation) answer(m message) error {
	if (m.Result == nil) == (m.Error == nil) {
		return errors.New("an answer has either a result or an error")
	}
	if m.Error != nil {
		return c.schema.Fits("Error", m.Error)
	}
	method, is := c.asked[string(m.ID)]
	if !is {
		return fmt.Errorf("a result for %s, which nobody has asked for", m.ID)
	}
	delete(c.asked, string(m.ID))
	return c.schema.said(response, method, m.Result, "client")
}

// said holds params or a result against the definition of its method. Names that
// begin with an underscore are everybody's own.
func (s *Schema) said(kind, method string, text json.RawMessage, never string) error {
	if strings.HasPrefix(method, "_") {
		return nil
	}
	def, is := s.methods[kind+" "+method]
	if !is || def.side == never {
		return fmt.Errorf("an agent has no %s %s", strings.ToLower(kind), method)
	}
	if text == nil {
		text = json.RawMessage("{}")
	}
	return s.Fits(def.name, text)
}
