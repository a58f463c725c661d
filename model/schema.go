package model

import "encoding/json"

// sentSchema is the schema of a tool's arguments, or that of a tool without any. With the quirk
// it has only the words that every provider takes: what it leaves out is checked all the same
// when a call is decoded.
func sentSchema(t Tool, quirks map[string]bool) json.RawMessage {
	switch {
	case !json.Valid(t.Schema):
		return json.RawMessage(`{"type":"object","properties":{}}`)
	case !quirks[quirkSchema]:
		return t.Schema
	}
	plain := plainSchema(t.Schema, deepestSchema)
	plain.Type = "object" // what arguments always are
	return encodeJSON(plain)
}

// deepestSchema is how deep a plain schema goes; below it anything is taken.
const deepestSchema = 20

// wirePlain is a schema in its plainest form.
type wirePlain struct {
	Type        string               `json:"type,omitempty"`
	Description string               `json:"description,omitempty"`
	Enum        []json.RawMessage    `json:"enum,omitempty"`
	Properties  map[string]wirePlain `json:"properties,omitempty"`
	Required    []string             `json:"required,omitempty"`
	Items       *wirePlain           `json:"items,omitempty"`
}

// plainSchema reads what it knows of a schema, at most so deep. Of several forms that a value
// may have, the first is taken.
func plainSchema(raw json.RawMessage, depth int) wirePlain {
	var s struct {
		Type        json.RawMessage            `json:"type"`
		Description text                       `json:"description"`
		Enum        list[json.RawMessage]      `json:"enum"`
		Properties  map[string]json.RawMessage `json:"properties"`
		Required    list[text]                 `json:"required"`
		Items       json.RawMessage            `json:"items"`
		Any         list[json.RawMessage]      `json:"anyOf"`
		One         list[json.RawMessage]      `json:"oneOf"`
	}
	_ = json.Unmarshal(raw, &s) // loose: what does not fit stays empty
	if depth == 0 {
		return wirePlain{}
	}
	forms := append(s.Any, s.One...)
	if isNull(s.Type) && len(forms) > 0 {
		plain := plainSchema(forms[0], depth-1)
		plain.Description = orElse(string(s.Description), plain.Description)
		return plain
	}
	plain := wirePlain{Type: firstType(s.Type), Description: string(s.Description), Enum: s.Enum}
	for name, one := range s.Properties {
		if plain.Properties == nil {
			plain.Properties = map[string]wirePlain{}
		}
		plain.Properties[name] = plainSchema(one, depth-1)
	}
	for _, name := range s.Required {
		plain.Required = append(plain.Required, string(name))
	}
	if !isNull(s.Items) {
		items := plainSchema(s.Items, depth-1)
		plain.Items = &items
	}
	return plain
}

// firstType is a type of JSON, or the first of several that is not null; "" for none.
func firstType(raw json.RawMessage) string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return one
	}
	var all list[text]
	_ = all.UnmarshalJSON(raw)
	for _, kind := range all {
		if kind != "null" {
			return string(kind)
		}
	}
	return ""
}
