package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MostUnderstood is how long arguments may be that are read in another form than the
// right one, in bytes.
const MostUnderstood = 16 << 10

// Understood is what arguments mean that are not as they should be.
type Understood struct {
	Input   json.RawMessage // the arguments as they should be, an object
	Written json.RawMessage // what was written, as JSON with its own names and types
	Notes   []string        // sentences for the model: what was taken for what
}

// Understand reads the arguments of a model as the schema of the tool wants them, where
// they can mean one thing only. false says that they are right already, or that nobody
// may guess: the tool does more than look, a part could mean two things, or it is cut
// off. Then they are left to the strict reading of Plan, which says what is wrong.
//
// What comes of it is judged, shown and run in place of what was written, and has to be
// understood before anybody looks at it.
func Understand(spec Spec, text string) (Understood, bool) {
	if spec.Effect != Read || len(text) > MostUnderstood {
		return Understood{}, false
	}
	v, forms, unsure, err := loose(text)
	if err != nil || unsure || v.kind != '{' || !spec.Tolerant && forms&^benign != 0 {
		return Understood{}, false
	}
	f, written := fitting{}, v.append(nil)
	if forms != 0 {
		wrong, better := forms.words()
		f.note("Understood the arguments, which are %s, not a JSON object: write %s.", wrong, better)
	}
	if spec.Tolerant {
		schema, _, _, err := loose(string(spec.Schema))
		if err != nil || !f.fit(&v, &schema, spec.Name) {
			return Understood{}, false
		}
	}
	if len(f.notes) == 0 {
		return Understood{}, false
	}
	return Understood{v.append(nil), written, f.told()}, true
}

// NearJSON says what a text is that is nearly a JSON object, and what to send in its
// place, for a model. false says that it is neither.
func NearJSON(text string) (wrong, better string, ok bool) {
	v, forms, _, err := loose(text)
	if err != nil || forms == 0 || v.kind != '{' {
		return "", "", false
	}
	wrong, better = forms.words()
	return wrong, better, true
}

// fitting makes arguments fit a schema.
type fitting struct {
	notes []string
	again string // what is said behind them
}

func (f *fitting) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// mostNotes is how many things are said about one call.
const mostNotes = 8

func (f *fitting) told() []string {
	notes := f.notes
	if more := len(notes) - mostNotes; more > 0 {
		notes = append(notes[:mostNotes:mostNotes], fmt.Sprintf("And %d more.", more))
	}
	if f.again != "" {
		notes = append(notes, f.again)
	}
	return notes
}

// understood notes what was taken for what, which the model can write itself.
func (f *fitting) understood(format string, args ...any) {
	f.note("Understood "+format+".", args...)
	f.again = "Write it so next time."
}

// fit changes v as the schema wants it; at is its name. What has no reading stays as it
// is. false says that something has two.
func (f *fitting) fit(v, schema *value, at string) bool {
	if schema == nil {
		return true
	}
	if convert := conversions[schema.typed()]; convert != nil {
		if was := *v; convert(v, schema) {
			f.understood("%s as %s in %q", clipped(was.json()), clipped(v.json()), clipped(at))
		}
	}
	switch {
	case v.kind == '[' && schema.typed() == typeArray:
		for i := range v.values {
			if !f.fit(&v.values[i], schema.member("items"), at) {
				return false
			}
		}
	case v.kind == '{' && schema.closed():
		properties := schema.properties()
		if !f.rename(v, properties.names, at) {
			return false
		}
		for i, name := range v.names {
			if !f.fit(&v.values[i], properties.member(name), name) {
				return false
			}
		}
	}
	return true
}

// rename gives the members of an object the names that it has for them, and leaves out
// those that it has none for.
func (f *fitting) rename(v *value, arguments []string, at string) bool {
	var out value
	out.kind = '{'
	for i, name := range v.names { // a null is as if it were not there
		if slices.Contains(arguments, name) && v.values[i].kind != 'n' {
			out.names, out.values = append(out.names, name), append(out.values, v.values[i])
		}
	}
	changed := false
	for i, name := range v.names {
		if slices.Contains(arguments, name) {
			continue
		}
		changed = true
		targets := meant(name, arguments)
		if len(targets) == 0 || v.values[i].kind == 'n' {
			f.note("Left out %q: %s has no such argument, so it had no effect.", clipped(name), at)
			continue
		}
		f.understood("%q as %q", clipped(name), targets[0])
		given := out.member(targets[0])
		switch {
		case len(targets) > 1 || given != nil && given.json() != v.values[i].json():
			return false
		case given == nil:
			out.names, out.values = append(out.names, targets[0]), append(out.values, v.values[i])
		}
	}
	if changed {
		*v = out
	}
	return true
}

// typed is the type in a schema.
func (v *value) typed() string {
	if t := v.member("type"); t != nil {
		return t.text
	}
	return ""
}

// closed says that a schema names every member that its objects may have.
func (v *value) closed() bool {
	more := v.member("additionalProperties")
	return v.typed() == typeObject && more != nil && more.isFalse()
}

// properties are the members that a schema names.
func (v *value) properties() value {
	if p := v.member("properties"); p != nil {
		return *p
	}
	return value{}
}

// The types of a schema.
const (
	typeArray  = "array"
	typeObject = "object"
)

// conversions make of a value what a type wants, by the type; false where there is no
// one way, or nothing to do.
var conversions = map[string]func(v, schema *value) bool{
	typeArray: func(v, schema *value) bool {
		if v.kind != '"' || v.text == "" {
			return false
		}
		items := schema.member("items")
		if inner, _, unsure, err := loose(v.text); err == nil && !unsure && inner.kind == '[' {
			*v = inner
			return true
		}
		if items == nil || items.typed() != "string" {
			return false
		}
		*v = value{kind: '[', values: []value{*v}}
		return true
	},
	typeObject: func(v, _ *value) bool {
		inner, _, unsure, err := loose(v.text)
		if v.kind != '"' || err != nil || unsure || inner.kind != '{' {
			return false
		}
		*v = inner
		return true
	},
	"integer": func(v, _ *value) bool {
		whole, zeros, fraction := strings.Cut(v.text, ".")
		n, err := strconv.ParseInt(whole, 10, 54) // what every reader of JSON can tell from its neighbours
		switch {
		case err != nil || strconv.FormatInt(n, 10) != whole:
			return false
		case v.kind == '"' && !fraction, v.kind == '0' && fraction && strings.Trim(zeros, "0") == "":
			*v = value{kind: '0', text: whole}
			return true
		}
		return false
	},
	"number": func(v, _ *value) bool {
		if v.kind != '"' || !isNumber(v.text) {
			return false
		}
		v.kind = '0'
		return true
	},
	"boolean": func(v, _ *value) bool {
		word, ok := scalars[v.text]
		if v.kind != '"' || !ok || word.kind != 't' {
			return false
		}
		*v = word
		return true
	},
	"string": func(v, _ *value) bool {
		if v.kind != '0' {
			return false
		}
		v.kind = '"'
		return true
	},
}

func (v *value) isFalse() bool { return v.kind == 't' && strings.HasPrefix(v.text, "f") }

func isNumber(text string) bool {
	n := jsontext.Value(text)
	return n.Kind() == '0' && n.IsValid() && strings.TrimSpace(text) == text
}

func (v *value) json() string { return string(v.append(nil)) }

// append writes v as JSON.
func (v *value) append(out []byte) []byte {
	switch v.kind {
	case '"':
		out, _ = jsontext.AppendQuote(out, v.text) // it is valid UTF-8
		return out
	case '{', '[':
		out = append(out, v.kind)
		for i := range v.values {
			if i > 0 {
				out = append(out, ',')
			}
			if v.kind == '{' {
				out, _ = jsontext.AppendQuote(out, v.names[i])
				out = append(out, ':')
			}
			out = v.values[i].append(out)
		}
		return append(out, v.kind+2)
	}
	return append(out, v.text...)
}
