package v1_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// alternative is one form of a union.
type alternative struct {
	word  string // of the tag
	bare  bool
	needs string
	field string
	kind  string // its Go type
}

// declareUnion makes a struct with a pointer for each form, beside the members that
// all of them have.
func (g *generator) declareUnion(name string, s *schema) error {
	tag, all, err := g.forms(name, s)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	members, err := g.fields(name, s)
	if err != nil {
		return err
	}
	is := purpose(name, s) + ". One of its forms is set"
	if tag != "" {
		is += "; " + tag + " says which"
	}
	var fields, forms strings.Builder
	for _, a := range all {
		fmt.Fprintf(&fields, "%s *%s `json:\"-\"`\n", a.field, a.kind)
		fmt.Fprintf(&forms, "{%q, %t, %q, &u.%s},\n", a.word, a.bare, a.needs, a.field)
	}
	g.types[goName(name)] = strings.NewReplacer("NAME", goName(name), "IS", is, "MEMBERS", members, "FIELDS", fields.String(), "FORMS", forms.String(), "TAG", fmt.Sprintf("%q", tag)).Replace(union)
	return nil
}

const union = `// NAME is IS.
type NAME struct {
MEMBERS
FIELDS
Unknown string ` + "`json:\"-\"`" + ` // the word of a form that is not known
Other json.RawMessage ` + "`json:\"-\"`" + ` // what came instead of a known form
}

func (u *NAME) forms() []form {
return []form{
FORMS}
}

// MarshalJSON writes the form that is set.
func (u NAME) MarshalJSON() ([]byte, error) {
type members NAME
return encodeUnion(TAG, members(u), u.forms(), u.Other)
}

// UnmarshalJSON reads the form that it finds.
func (u *NAME) UnmarshalJSON(text []byte) (err error) {
type members NAME
*u = NAME{}
if err = json.Unmarshal(text, (*members)(u)); err == nil {
u.Unknown, u.Other, err = decodeUnion(text, TAG, u.forms())
}
return err
}
`

// forms are the forms of a union and the member that tells them apart.
func (g *generator) forms(name string, s *schema) (tag string, all []alternative, err error) {
	for _, a := range s.alternatives() {
		if a.Not != nil || slices.Contains(unused, a.target()) || len(a.AllOf) == 1 && slices.Contains(unused, a.AllOf[0].target()) {
			continue
		}
		its, word, rest := a.tag()
		if its != "" && tag != "" && its != tag {
			return "", nil, fmt.Errorf("forms are told apart by %s and by %s", tag, its)
		}
		if its != "" {
			tag = its
		}
		form := alternative{word: word, bare: its == "", field: goName(word)}
		if form.kind, err = g.formType(name, a, rest, &form); err != nil {
			return "", nil, err
		}
		all = append(all, form)
	}
	if s.has(tag) {
		return "", nil, fmt.Errorf("%s is a tag and a member", tag)
	}
	return tag, all, g.tellApart(name, s, all)
}

// tag is the member with a constant word, and what there is besides.
func (s *schema) tag() (name, word string, rest members) {
	for _, p := range s.Properties {
		if text, is := p.of.Const.(string); is && slices.Contains(s.Required, p.name) && name == "" {
			name, word = p.name, text
			continue
		}
		rest = append(rest, p)
	}
	return name, word, rest
}

// formType is the Go type of a form. One that the schema does not name gets a name.
func (g *generator) formType(union string, a *schema, rest members, form *alternative) (string, error) {
	switch {
	case len(a.AllOf) == 1 && len(rest) == 0 && a.AllOf[0].target() != "":
		kind, err := g.goType(union, a.AllOf[0])
		if form.bare {
			form.field = a.AllOf[0].target()
		}
		if err == nil {
			err = g.apart(union, a.AllOf[0].target())
		}
		return kind, err
	case len(a.AllOf) > 0 || a.alternatives() != nil:
		return "", fmt.Errorf("a form of this kind is not known")
	case len(rest) == 0:
		return "struct{}", nil
	}
	if form.bare {
		form.field = named[union]
	}
	if form.field == "" {
		return "", fmt.Errorf("a form without a name")
	}
	kind := union + form.field
	if g.users[goName(kind)] == nil {
		g.users[goName(kind)] = map[string]bool{goName(union): true}
	}
	required := slices.DeleteFunc(slices.Clone(a.Required), func(r string) bool { return !slices.ContainsFunc(rest, func(m member) bool { return m.name == r }) })
	return goName(kind), g.declareStruct(kind, &schema{Type: kinds{"object"}, Properties: rest, Required: required})
}

// apart holds that a form and what all forms have are different members.
func (g *generator) apart(union, form string) error {
	whole, err := g.doc.def(union)
	if err != nil {
		return err
	}
	part, err := g.doc.def(form)
	if err != nil {
		return err
	}
	for _, p := range part.Properties {
		if whole.has(p.name) {
			return fmt.Errorf("%s is a member of all forms and of %s", p.name, form)
		}
	}
	return nil
}

func (s *schema) has(name string) bool {
	return slices.ContainsFunc(s.Properties, func(m member) bool { return m.name == name })
}

// tellApart names the bare forms, and finds the member that only one of them needs.
func (g *generator) tellApart(union string, s *schema, all []alternative) error {
	var bare []*alternative
	for i := range all {
		if all[i].bare {
			bare = append(bare, &all[i])
		}
	}
	if len(bare) == 1 {
		b := bare[0]
		b.field = strings.TrimSuffix(strings.TrimPrefix(b.field, union), union)
	}
	var names [][]string
	for _, b := range bare {
		names = append(names, words(b.field))
	}
	for len(bare) > 1 && len(names[0]) > 1 && same(names, func(w []string) string { return w[0] }) {
		for i := range names {
			names[i] = names[i][1:]
		}
	}
	for len(bare) > 1 && len(names[0]) > 1 && same(names, func(w []string) string { return w[len(w)-1] }) {
		for i := range names {
			names[i] = names[i][:len(names[i])-1]
		}
	}
	for i, b := range bare {
		if len(bare) > 1 {
			of, err := g.doc.def(b.field)
			if err != nil {
				return err
			}
			if b.needs, err = g.ownNeed(bare, of.Required, b); err != nil {
				return err
			}
		}
		defer func() { b.field = goName(strings.Join(names[i], "_")); b.word = strings.ToLower(b.field) }()
	}
	return nil
}

// ownNeed is a member that one bare form must have and the others need not.
func (g *generator) ownNeed(bare []*alternative, required []string, own *alternative) (string, error) {
	for _, need := range required {
		others := slices.ContainsFunc(bare, func(b *alternative) bool {
			of, err := g.doc.def(b.field)
			return b != own && (err != nil || slices.Contains(of.Required, need))
		})
		if !others {
			return need, nil
		}
	}
	return "", fmt.Errorf("nothing tells %s from the other forms", own.field)
}

func same(names [][]string, part func([]string) string) bool {
	return !slices.ContainsFunc(names, func(n []string) bool { return len(n) < 2 || part(n) != part(names[0]) })
}

// initials are words that Go names write in capitals.
var initials = []string{"acp", "api", "fs", "http", "id", "mcp", "mime", "sse", "uri", "url"}

// goName is a name of the schema as Go writes it.
func goName(name string) string {
	var b strings.Builder
	for _, w := range words(name) {
		if slices.Contains(initials, strings.ToLower(w)) {
			b.WriteString(strings.ToUpper(w))
			continue
		}
		b.WriteString(strings.ToUpper(w[:1]) + w[1:])
	}
	return b.String()
}

// words are the words of toolCallId, tool_call and McpServerHttp.
func words(name string) (all []string) {
	word := ""
	for _, r := range name {
		switch {
		case unicode.IsUpper(r):
			all = append(all, word)
			word = string(r)
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word += string(r)
		default:
			all = append(all, word)
			word = ""
		}
	}
	return slices.DeleteFunc(append(all, word), func(w string) bool { return w == "" })
}

// methodOf is the method that a definition is the params or the result of.
func methodOf(raw json.RawMessage) string {
	var s struct {
		Method string `json:"x-method"`
	}
	_ = json.Unmarshal(raw, &s)
	return s.Method
}
