package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-sidecar/agent-sidecar/internal/lazy"
	"github.com/agent-sidecar/agent-sidecar/tool"
	"github.com/agent-sidecar/agent-sidecar/workspace/output"
)

const (
	mostFields  = 20 // of a form
	mostChoices = 8  // of a field that a person chooses from
	maxText     = 1 << 10
)

// The answers to a form, in the words of the protocol.
const (
	accept  = "accept"
	decline = "decline"
	cancel  = "cancel"
)

// form is what a server asks the person.
type form struct {
	Properties map[string]*field `json:"properties"`
	Required   []string          `json:"required"`
}

// field is one member of a form.
type field struct {
	Type, Title, Description, Format string
	Enum                             []string
	WriteOnly                        bool
	OneOf                            []choice
	Items                            *struct {
		Enum  []string
		AnyOf []choice
	}
	name string
}

type choice struct{ Const, Title string }

// secretive are words of fields that ask for what nobody types into a form, and codes those
// that mean it only in the name of one: elsewhere they may warn of it.
var (
	secretive = lazy.Regexp(`(?i)pass ?(word|phrase|code)|passwd|secret|token|api.?key|private.?key|credential|card.?number|seed.?phrase`)
	codes     = lazy.Regexp(`(?i)\b(pin|otp|cvv|cvc)\b`)
)

// forms asks the person what the server named from wants to know, over the one call that is at
// work there: of several nobody knows who is asked. What looks like a secret is never asked.
func (c *callsAtWork) forms(ctx context.Context, from string, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	call, end := c.alone()
	if call == nil {
		return &mcp.ElicitResult{Action: cancel}, nil
	}
	defer end()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(call.ctx, stop)()
	asks, is := call.sink.(tool.Inquirer)
	if !is {
		return &mcp.ElicitResult{Action: cancel}, nil
	}
	if p.URL != "" {
		return &mcp.ElicitResult{Action: toOpen(ctx, call.sink, asks, from, p)}, nil
	}
	fields, required, ok := fieldsOf(p.RequestedSchema)
	if !ok || secretive().MatchString(p.Message) {
		return &mcp.ElicitResult{Action: decline}, nil
	}
	answers, ok, err := asks.Inquire(ctx, from, inquiries(p.Message, fields))
	if err != nil || !ok {
		return &mcp.ElicitResult{Action: cancel}, nil
	}
	if len(fields) == 0 {
		return &mcp.ElicitResult{Action: cmp.Or(strings.Join(answers[0].Choices, ""), decline)}, nil
	}
	content := map[string]any{}
	for i, f := range fields {
		value, fits := f.value(answers[i])
		switch {
		case !fits, value == nil && slices.Contains(required, f.name):
			return &mcp.ElicitResult{Action: decline}, nil
		case value != nil:
			content[f.name] = value
		}
	}
	return &mcp.ElicitResult{Action: accept, Content: content}, nil
}

// fieldsOf are the fields of a form, by their names. ok is false where there are too many, or
// one asks for a secret.
func fieldsOf(schema any) (fields []*field, required []string, ok bool) {
	raw, err := json.Marshal(schema)
	var f form
	if err != nil || json.Unmarshal(raw, &f) != nil || len(f.Properties) > mostFields {
		return nil, nil, false
	}
	for name, one := range f.Properties {
		if one == nil {
			return nil, nil, false
		}
		one.name = name
		if one.WriteOnly || codes().MatchString(spaced(name)+" "+one.Title) || secretive().MatchString(strings.Join([]string{spaced(name), one.Title, one.Description, one.Format}, " ")) {
			return nil, nil, false
		}
		fields = append(fields, one)
	}
	slices.SortFunc(fields, func(a, b *field) int { return cmp.Compare(a.name, b.name) })
	return fields, f.Required, true
}

// spaced is a name with a blank between its words.
func spaced(name string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(name) }

// inquiries are the questions of a form. One without fields wants a yes or a no.
func inquiries(message string, fields []*field) (all []tool.Inquiry) {
	message = bounded(message)
	if len(fields) == 0 {
		return []tool.Inquiry{{Text: message, Options: []string{accept, decline}}}
	}
	for i, f := range fields {
		text := bounded(cmp.Or(f.Title, f.name))
		if f.Description != "" {
			text += " (" + bounded(f.Description) + ")"
		}
		if i == 0 {
			text = message + "\n" + text
		}
		labels, multiple := f.labels()
		all = append(all, tool.Inquiry{Text: text, Options: labels, Multiple: multiple})
	}
	return all
}

func bounded(text string) string {
	text = output.Visible(strings.ToValidUTF8(text, "\uFFFD"))
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

// choices are what the field can be, none for what a person writes.
func (f *field) choices() (all []choice, multiple bool) {
	all, enum := f.OneOf, f.Enum
	if f.Items != nil {
		all, enum, multiple = f.Items.AnyOf, f.Items.Enum, true
	}
	if f.Type == "boolean" {
		enum = []string{"true", "false"}
	}
	for _, e := range enum {
		all = append(all, choice{Const: e})
	}
	return all, multiple
}

// labels are the choices as a person sees them; of more than can be shown there are none.
func (f *field) labels() (labels []string, multiple bool) {
	all, multiple := f.choices()
	if len(all) > mostChoices {
		return nil, false
	}
	for _, c := range all {
		labels = append(labels, output.OneLine(cmp.Or(c.Title, c.Const)))
	}
	return labels, multiple
}

// value is what was answered as the form wants it, nil for nothing. fits is false for what
// it does not want.
func (f *field) value(r tool.Reply) (value any, fits bool) {
	said := append(slices.Clone(r.Choices), strings.TrimSpace(r.Text))
	said = slices.DeleteFunc(said, func(s string) bool { return s == "" })
	if len(said) == 0 {
		return nil, true
	}
	all, multiple := f.choices()
	if len(all) > 0 {
		picked := []string{}
		for _, s := range said {
			i := slices.IndexFunc(all, func(c choice) bool { return s == c.Const || s == output.OneLine(cmp.Or(c.Title, c.Const)) })
			if i < 0 {
				return nil, false
			}
			picked = append(picked, all[i].Const)
		}
		if multiple {
			return picked, true
		}
		said = picked
	}
	return parsed(f.Type, said[0])
}

// parsed is a text as a value of a type.
func parsed(kind, text string) (value any, fits bool) {
	var err error
	switch kind {
	case "boolean":
		value, err = strconv.ParseBool(text)
	case "integer":
		value, err = strconv.ParseInt(text, 10, 64)
	case "number":
		value, err = strconv.ParseFloat(text, 64)
	default:
		value = text
	}
	return value, err == nil
}
