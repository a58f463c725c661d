package v1_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the generated types")

// methods are what is spoken; everything that their params and results need is
// generated.
var methods = []string{
	"initialize", "authenticate", "session/new", "session/load", "session/resume", "session/list", "session/close", "session/delete", "session/fork",
	"session/prompt", "session/cancel", "session/set_mode", "session/set_config_option", "session/set_title", "session/update", "session/request_permission",
	"elicitation/create", "elicitation/complete", "fs/read_text_file", "fs/write_text_file", "$/cancel_request",
}

// unused are forms of unions that the sidecar neither sends nor reads: they arrive as
// unknown ones.
var unused = []string{"SubagentUpdate", "SessionMessage", "SessionMessageChunk", "PlanUpdate", "PlanRemoved"}

// byHand are definitions whose types are in union.go.
var byHand = []string{"SessionConfigSelectOptions"}

// apart are optional texts of which "" says something else than absence.
var apart = []string{"Diff.oldText", "SessionInfoUpdate.title", "SessionInfoUpdate.updatedAt", "StringPropertySchema.default"}

// named are forms that the schema has no name for.
var named = map[string]string{"SetSessionConfigOptionRequest": "Select"}

// TestTypes holds types.go against the schema. These files need nothing of the package,
// so that they can be run when it does not compile:
//
//	go test rpc/acp/v1/generate*_test.go -update
func TestTypes(t *testing.T) {
	made, err := generate(readDocument(t), methods)
	if err != nil {
		t.Fatal(err)
	}
	had, err := os.ReadFile("types.go")
	if err != nil && !*update {
		t.Fatal(err)
	}
	if bytes.Equal(made, had) {
		return
	}
	if !*update {
		t.Fatal("types.go is not what the schema says: go test rpc/acp/v1/generate*_test.go -update")
	}
	if err := os.WriteFile("types.go", made, 0o644); err != nil {
		t.Fatal(err)
	}
}

// generator makes the Go types of one schema.
type generator struct {
	doc   document
	types map[string]string          // declarations by Go name
	users map[string]map[string]bool // who has a member of a definition
	wants []string                   // definitions still to be made
}

func generate(doc document, methods []string) ([]byte, error) {
	g := &generator{doc: doc, types: map[string]string{}, users: map[string]map[string]bool{}}
	spoken, err := g.roots(methods)
	if err != nil {
		return nil, err
	}
	for len(g.wants) > 0 {
		name := g.wants[0]
		g.wants = g.wants[1:]
		if g.types[goName(name)] != "" {
			continue
		}
		s, err := doc.def(name)
		if err == nil {
			err = g.declare(name, s)
		}
		if err != nil {
			return nil, err
		}
	}
	var b strings.Builder
	b.WriteString("// Code generated from schema.json by go test rpc/acp/v1/generate*_test.go -update; DO NOT EDIT.\n\npackage v1\n\nimport \"encoding/json\"\n\n// The methods.\nconst (\n" + spoken + ")\n")
	for _, name := range slices.Sorted(maps.Keys(g.types)) {
		b.WriteString("\n" + strings.ReplaceAll(g.types[name], "{{users}}", g.usersOf(name)))
	}
	return format.Source([]byte(b.String()))
}

// roots wants the params and results of the methods, and gives the methods' constants.
func (g *generator) roots(methods []string) (string, error) {
	found := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(g.doc.Defs)) {
		method := methodOf(g.doc.Defs[name])
		if slices.Contains(methods, method) {
			found[method] = true
			g.wants = append(g.wants, name)
		}
	}
	var b strings.Builder
	for _, method := range methods {
		if !found[method] {
			return "", fmt.Errorf("the schema has no method %s", method)
		}
		fmt.Fprintf(&b, "Method%s = %q\n", goName(method), method)
	}
	return b.String(), nil
}

func (g *generator) usersOf(name string) string {
	all := slices.Sorted(maps.Keys(g.users[name]))
	switch n := len(all); {
	case n == 0:
		return "what is said"
	case n > 3:
		return strings.Join(all[:3], ", ") + " and others"
	case n > 1:
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return all[0]
}

// declare makes the type of a definition that is not a mere Go type.
func (g *generator) declare(name string, s *schema) error {
	switch {
	case s.words() != nil:
		g.types[goName(name)] = declareWords(goName(name), s)
	case s.isObject() && s.alternatives() != nil:
		return g.declareUnion(name, s)
	case s.alternatives() != nil && s.single() == "":
		return g.declareUnion(name, s)
	case s.isObject() && len(s.AllOf) == 0:
		return g.declareStruct(name, s)
	default:
		return fmt.Errorf("%s: no Go type has this form", name)
	}
	return nil
}

func (s *schema) isObject() bool { return slices.Equal(s.Type, kinds{"object"}) }

func (s *schema) alternatives() []*schema {
	if s.AnyOf != nil {
		return s.AnyOf
	}
	return s.OneOf
}

// words are the alternatives of a definition that is a set of words, open when one
// of them is any text.
func (s *schema) words() []*schema {
	for _, a := range s.alternatives() {
		if !slices.Equal(a.Type, kinds{"string"}) {
			return nil
		}
	}
	return s.alternatives()
}

// single is the definition of a union that has only one form.
func (s *schema) single() string {
	if len(s.alternatives()) != 1 || len(s.Properties) > 0 {
		return ""
	}
	return s.alternatives()[0].target()
}

func declareWords(name string, s *schema) string {
	var consts strings.Builder
	or := ""
	for _, w := range s.words() {
		if w.Const == nil {
			or = ", or another one"
			continue
		}
		fmt.Fprintf(&consts, "%s%s %s = %q\n", name, goName(w.Const.(string)), name, w.Const)
	}
	return fmt.Sprintf("// %s is one of these words%s. It is part of {{users}}.\ntype %s string\n\n// The words of %s.\nconst (\n%s)\n", name, or, name, name, consts.String())
}

func (g *generator) declareStruct(name string, s *schema) error {
	fields, err := g.fields(name, s)
	if err != nil {
		return err
	}
	g.types[goName(name)] = fmt.Sprintf("// %s is %s.\ntype %s struct {\n%s}\n", goName(name), purpose(name, s), goName(name), fields)
	return nil
}

// purpose says what a type is.
func purpose(name string, s *schema) string {
	switch {
	case s.Method == "":
		return "part of {{users}}"
	case strings.HasSuffix(name, "Response"):
		return "what " + s.Method + " gives back"
	case strings.HasSuffix(name, "Request"):
		return "what " + s.Method + " takes"
	}
	return "what " + s.Method + " says"
}

// fields are the members of an object as fields of a struct.
func (g *generator) fields(name string, s *schema) (string, error) {
	var b strings.Builder
	for _, p := range s.Properties {
		required := slices.Contains(s.Required, p.name)
		kind, err := g.member(name, p, required)
		if err != nil {
			return "", fmt.Errorf("%s.%s: %w", name, p.name, err)
		}
		option := ",omitzero"
		if required {
			option = ""
		}
		fmt.Fprintf(&b, "%s %s `json:\"%s%s\"`\n", goName(p.name), kind, p.name, option)
	}
	return b.String(), nil
}

// member is the Go type of a member: what may be absent is a pointer where the zero
// value would say something else.
func (g *generator) member(owner string, p member, required bool) (string, error) {
	s, nullable := p.of.notNull()
	kind, err := g.goType(owner, s)
	if err != nil {
		return "", err
	}
	elem, isList := strings.CutPrefix(kind, "[]")
	switch {
	case required && nullable:
		return "", fmt.Errorf("required and may be null")
	case required && isList:
		return "List[" + elem + "]", nil
	case required, isList, strings.HasPrefix(kind, "map["), kind == "json.RawMessage":
		return kind, nil
	case g.isText(kind) && !slices.Contains(apart, owner+"."+p.name), kind == "bool" && !nullable:
		return kind, nil
	}
	return "*" + kind, nil
}

func (g *generator) isText(kind string) bool {
	if kind == "string" {
		return true
	}
	for name := range g.doc.Defs {
		if goName(name) == kind {
			s, err := g.doc.def(name)
			return err == nil && s.words() != nil
		}
	}
	return false
}

// notNull is a schema without its null.
func (s *schema) notNull() (*schema, bool) {
	isNull := func(o *schema) bool { return slices.Equal(o.Type, kinds{"null"}) }
	if len(s.AnyOf) == 2 && isNull(s.AnyOf[1]) {
		return s.AnyOf[0], true
	}
	if len(s.Type) == 2 && s.Type[1] == "null" {
		bare := *s
		bare.Type = s.Type[:1]
		return &bare, true
	}
	return s, false
}

// basics are the Go types of the kinds of values.
var basics = map[string]string{"string": "string", "boolean": "bool", "integer": "int", "number": "float64"}

// goType is the Go type of a schema where a member, an element or a form has it.
func (g *generator) goType(owner string, s *schema) (string, error) {
	if name := s.target(); name != "" {
		return g.named(owner, name)
	}
	if len(s.Type) != 1 {
		if len(s.Type)+len(s.alternatives()) == 0 && s.Not == nil && s.Items == nil {
			return "json.RawMessage", nil // anything
		}
		return "", fmt.Errorf("no Go type has this form")
	}
	if basic := basics[s.Type[0]]; basic != "" && s.alternatives() == nil && s.Const == nil {
		return basic, nil
	}
	switch kind := s.Type[0]; {
	case kind == "array" && s.Items != nil:
		elem, err := g.goType(owner, s.Items)
		return "[]" + elem, err
	case kind == "object" && s.AdditionalProperties != nil && len(s.Properties) == 0:
		if s.AdditionalProperties.of == nil {
			return "json.RawMessage", nil
		}
		elem, err := g.goType(owner, s.AdditionalProperties.of)
		return "map[string]" + elem, err
	}
	return "", fmt.Errorf("no Go type has this form")
}

// named is the Go type of a definition: a basic one where it says no more than that.
func (g *generator) named(owner, name string) (string, error) {
	s, err := g.doc.def(name)
	if err != nil {
		return "", err
	}
	only := func(m member) bool { return m.name == "_meta" }
	switch {
	case s.single() != "":
		return g.named(owner, s.single())
	case len(s.Type) == 1 && basics[s.Type[0]] != "":
		return basics[s.Type[0]], nil
	case s.isObject() && s.alternatives() == nil && s.Method == "" && !slices.ContainsFunc(s.Properties, func(m member) bool { return !only(m) }):
		return "Empty", nil
	case s.manyKinds():
		return "json.RawMessage", nil
	}
	if g.users[goName(name)] == nil {
		g.users[goName(name)] = map[string]bool{}
	}
	g.users[goName(name)][goName(owner)] = true
	if !slices.Contains(byHand, name) {
		g.wants = append(g.wants, name)
		return goName(name), nil
	}
	for _, a := range s.alternatives() {
		if _, err := g.goType(name, a); err != nil {
			return "", err
		}
	}
	return goName(name), nil
}

// manyKinds is true of a value that is, say, a number or a string.
func (s *schema) manyKinds() bool {
	all := map[string]bool{}
	for _, a := range s.alternatives() {
		if len(a.Type) != 1 || a.Type[0] == "object" {
			return false
		}
		all[a.Type[0]] = true
	}
	return len(all) > 1
}
